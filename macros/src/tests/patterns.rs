//! Bindings: what a pattern makes of an annotated field, and where a name means something else.

use super::{check, method, with_struct};

#[test]
fn loops() {
    check!(
        method,
        "
        for b in &self.layers {
            x = b.forward(x);
        }
        for b in self.layers.iter().rev().skip(1).step_by(2) {
            x = b.forward(x);
        }
        for b in &self.layers[1..] {
            x = b.forward(x);
        }
        for (i, b) in self.layers.iter().enumerate().take(3) {
            x = b.forward(x, i);
        }
        x
    "
    );
}

#[test]
fn zip() {
    check!(
        method,
        "
        for (b, y) in self.layers.iter().zip(ys) {
            x = b.forward(y);
        }
        for (y, b) in ys.iter().zip(&self.layers) {
            x = b.forward(y.clone());
        }
        for (i, (b, m)) in self.layers.iter().zip(self.maybe.iter()).enumerate() {
            x = m.forward(b.forward(x), i);
        }
        x
    "
    );
}

#[test]
fn options() {
    check!(
        method,
        "
        if let Some(f) = &self.maybe {
            x = f.forward(x);
        }
        if let Some(f) = self.maybe.as_ref() {
            x = f.forward(x);
        }
        let x = match &self.maybe {
            Some(f) if f.len() > 3 => f.forward(x),
            Some(_) => x,
            None => return x,
        };
        let Some(f) = &self.maybe else { return x };
        f.forward(x)
    "
    );
}

#[test]
fn match_gives_the_layer() {
    check!(
        method,
        "
        let f = match &self.maybe {
            Some(f) => f,
            None => return x,
        };
        let g = if let Some(g) = &self.maybe { g } else { panic!(\"no layer\") };
        g.forward(f.forward(x))
    "
    );
}

#[test]
fn let_chains() {
    check!(method, "
        if let Some(f) = &self.maybe && let n = f.len() && n > 1 && let Some(g) = self.layers.get(n) {
            x = f.forward(g.forward(x));
        } else {
            x = f.forward(x);
        }
        while let Some(f) = &self.maybe && x.len() > 1 {
            x = f.forward(x);
        }
        x
    ");
}

#[test]
fn tuples_of_options() {
    check!(
        method,
        "
        if let (Some(f), [first, .., last]) = (&self.maybe, self.layers.as_slice()) {
            x = last.forward(f.forward(first.forward(x)));
        }
        let (first, rest) = self.layers.split_first().unwrap();
        rest[0].forward(first.forward(x))
    "
    );
}

#[test]
fn plain_bindings() {
    check!(
        method,
        "
        let f = &self.f;
        let g = &self.layers[0];
        let h = &f.inner;
        let x = f.forward(x);
        g.forward(h.forward(x))
    "
    );
}

#[test]
fn struct_pattern() {
    check!(
        method,
        "
        let Self { attention, f: a, norm, maybe: Some(m), .. } = self;
        let Block { g: Linear { inner, .. }, .. } = self;
        let x = norm.forward(x);
        m.forward(a.forward(attention.forward(inner.forward(x))))
    "
    );
}

#[test]
fn struct_pattern_by_value() {
    check!(
        with_struct,
        "
        struct Block(#[checkpoint] Linear, LayerNorm, #[checkpoint] Linear);
        ---
        impl Block {
            fn forward(self, x: Tensor<3>) -> Tensor<3> {
                let Self(f, _, ref g) = self;
                f.forward(g.forward(x))
            }
            fn numbered(&self, x: Tensor<3>) -> Tensor<3> {
                let Self { 0: f, .. } = self;
                f.forward(x)
            }
        }
    "
    );
}

#[test]
fn struct_pattern_with_rest_in_the_middle() {
    check!(
        with_struct,
        "
        struct Block(#[checkpoint] Linear, LayerNorm, #[checkpoint] Linear);
        ---
        impl Block {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                let Self(f, .., g) = self;
                f.forward(g.forward(x))
            }
        }
    "
    );
}

#[test]
fn shadowing() {
    check!(
        method,
        "
        let f = &self.f;
        {
            let f = &self.norm;
            x = f.forward(x);
        }
        let x = f.forward(x);
        let y = ys.map(|f| f.forward(x.clone()));
        for f in others {
            x = f.forward(x);
        }
        match other {
            Some(f) => f.forward(x.clone()),
            None => x,
        };
        let x = f.forward(x);
        let f = other;
        f.forward(x)
    "
    );
}

#[test]
fn nested_items() {
    check!(
        method,
        "
        fn run(f: &Linear, x: Tensor<3>) -> Tensor<3> {
            f.forward(x)
        }
        impl Other {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                self.f.forward(x)
            }
        }
        self.g.forward(x)
    "
    );
}

#[test]
fn another_depth() {
    check!(
        method,
        "
        for b in self.layers.iter().filter(|b| b.forward(x.clone()).ok()) {
            x = b.forward(x);
        }
        let f = &self.f;
        let f = &f;
        f.forward(x)
    "
    );
}

#[test]
fn one_field_in_all_branches() {
    check!(
        method,
        "
        let f = if x.len() > 1 { &self.layers[0] } else { &self.layers[1] };
        f.forward(x)
    "
    );
}
