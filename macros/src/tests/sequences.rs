//! Loops over the layers of a grouped field.

use super::{check, stack, with_struct};

#[test]
fn loops() {
    check!(
        stack,
        "
        for layer in &self.layers {
            x = layer.forward(x, mask.clone());
        }
        for layer in self.layers.iter() {
            x = layer.forward(x);
        }
        for layer in (&self.others).into_iter() {
            x = layer.forward(x);
        }
        x
    "
    );
}

#[test]
fn indices() {
    check!(
        stack,
        "
        for (i, layer) in self.layers.iter().enumerate() {
            x = layer.forward(x, i, mask.clone());
        }
        for (_, layer) in (&self.layers).into_iter().enumerate() {
            x = layer.forward(x);
        }
        x
    "
    );
}

#[test]
fn patterns() {
    check!(
        stack,
        "
        for Layer { attention, mlp, .. } in &self.layers {
            x = x.clone() + attention.forward(x);
            x = x.clone() + mlp.forward(x);
        }
        for (i, Layer { mlp, .. }) in self.layers.iter().enumerate() {
            x = mlp.forward(x, i);
        }
        x
    "
    );
}

#[test]
fn several_carried_variables() {
    check!(
        stack,
        "
        let mut state = Tensor::zeros_like(&x);
        let mut n = 0;
        let mut total = 0.0;
        for layer in &self.layers {
            (x, state) = layer.forward(x, state);
            [total, _] = [layer.norm(n), 1.0];
            n += 1;
        }
        (x, state, total)
    "
    );
}

#[test]
fn carried_and_not_read_behind_the_loop() {
    check!(
        stack,
        "
        let mut n = 0;
        let mut h = x.clone();
        #[allow(unused)]
        for layer in &self.layers {
            #![allow(clippy::all)]
            h = layer.forward(x.clone(), n);
            n += 1;
            x = x + h;
        }
        x
    "
    );
}

#[test]
fn carried_and_bound_again_behind_the_loop() {
    check!(
        stack,
        "
        let mut n = 0;
        for layer in &self.layers {
            x = layer.forward(x, n);
            n += 1;
        }
        let mut n = 0;
        for layer in &self.layers {
            x = layer.forward(x, n);
            n += 1;
        }
        n = 3;
        run(x, n)
    "
    );
}

#[test]
fn numbers_of_the_field() {
    check!(
        stack,
        "
        let n = self.layers.len();
        for (i, layer) in self.layers.iter().enumerate() {
            x = layer.forward(x, i == n - 1);
        }
        x
    "
    );
}

#[test]
fn shared_values() {
    check!(
        stack,
        r#"
        let n = 2;
        let this = &mask;
        let eps = self.scale;
        for layer in &self.layers {
            assert_eq!(n, 2, "{eps:>width$} {}", layer.n);
            x = layer.forward(Input { x, mask: mask.clone(), eps }, bias, this.clone());
        }
        x
    "#
    );
}

#[test]
fn names_of_the_body() {
    check!(
        stack,
        "
        let y = x.clone();
        let layer = 1;
        for layer in &self.layers {
            let mask = layer.mask(mask.clone());
            let mut y = y.clone();
            y = y + mask;
            let add = |bias: Tensor<3>| bias + y.clone();
            match layer.kind() {
                Kind::Pre(scale) if scale > N => x = x * scale,
                y => x = add(x).mul(y),
            }
            for scale in layer.scales.iter() {
                let x = x.clone() * scale;
                run(x);
            }
            x = layer.forward(x);
        }
        x
    "
    );
}

#[test]
fn the_layer_goes_anywhere_in_the_body() {
    check!(
        stack,
        "
        for layer in &self.layers {
            let first = if layer.pre { &layer.norm } else { &layer.other };
            let all = [&layer.a, &layer.b];
            x = helper(layer, first.forward(x));
            x = layer.blocks.iter().rev().fold(x, |x, b| b.forward(x));
            x = layer.inner().forward(x);
        }
        for layer in &self.layers {
            if let Some(gate) = &layer.gate {
                x = gate.forward(x);
            }
        }
        x
    "
    );
}

#[test]
fn inner_loops_and_closures() {
    check!(
        stack,
        "
        for layer in &self.layers {
            for _ in 0..3 {
                if layer.done() { break; }
                x = layer.forward(x);
            }
            let last = 'found: {
                for b in &layer.blocks {
                    if b.done() { break 'found b; }
                }
                break 'found &layer.first;
            };
            'outer: loop {
                loop { continue 'outer; }
            }
            let f = |x: Tensor<3>| -> Option<Tensor<3>> { return Some(last.forward(x?)) };
            x = f(x).unwrap()
        }
        x
    "
    );
}

#[test]
fn nothing_carried() {
    check!(
        stack,
        "
        for layer in &self.layers {
            layer.forward(x.clone());
        }
        x
    "
    );
}

#[test]
fn in_other_places() {
    check!(
        stack,
        "
        match mask.n() {
            0 => for layer in &self.layers {
                x = layer.forward(x);
            }
            1 => {
                for layer in &self.layers {
                    x = layer.forward(x)
                }
            }
            _ => {}
        }
        let run = |mut x| {
            for layer in &self.layers { x = layer.forward(x); }
            x
        };
        for _ in 0..3 {
            for layer in &self.layers {
                x = layer.forward(x);
            }
        }
        run(x)
    "
    );
}

#[test]
fn folds() {
    check!(
        stack,
        "
        let x = self.layers.iter().fold(x, |x, layer| layer.forward(x, mask.clone()));
        let x = (&self.layers).into_iter().fold(x, |x: Tensor<3>, layer: &Layer| -> Tensor<3> { layer.forward(x) });
        let (x, s) = self.layers.iter().fold((x, 0.0), move |(x, s), layer| {
            let y = layer.forward(x, bias);
            if s > 1.0 { return (y, s); }
            (y, s + 1.0)
        });
        self.others.iter().enumerate().fold(self.f.forward(x), |x, (i, layer)| layer.forward(x, i, bias))
    "
    );
}

#[test]
fn loops_without_calls() {
    check!(
        stack,
        "
        let mut n = 0;
        for layer in &self.layers {
            n += layer.num_params();
            if n > 100 { break; }
        }
        for layer in self.layers.iter().rev() {
            self.check(layer.norm());
        }
        let m = self.layers.iter().fold(0, |n, layer| n + layer.num_params());
        let k: usize = self.layers.iter().map(|layer| layer.num_params()).sum();
        self.f.forward(x)
    "
    );
}

#[test]
fn no_loop_over_the_whole_field() {
    check!(
        stack,
        "
        x = self.layers[0].forward(x);
        for layer in self.layers.iter().rev() { x = layer.forward(x); }
        for layer in self.layers.iter().skip(1) { x = layer.forward(x); }
        for layer in &self.layers[1..] { x = layer.forward(x); }
        for (layer, y) in self.layers.iter().zip(ys) { x = layer.forward(x, y); }
        for layer in self.layers.iter_mut() { x = layer.forward(x); }
        for pair in self.layers.iter().enumerate() { x = pair.1.forward(x, pair.0); }
        for i in 0..self.layers.len() { x = self.layers[i].forward(x); }
        for pair in self.layers.array_chunks() { x = pair[0].forward(x); }
        let layers = &self.layers;
        for layer in layers { x = layer.forward(x); }
        let mut it = self.layers.iter();
        while let Some(layer) = it.next() { x = layer.forward(x); }
        self.layers.iter().map(|layer| layer.forward(x.clone())).collect()
    "
    );
}

#[test]
fn no_fold_over_the_whole_field() {
    check!(
        stack,
        "
        let x = self.layers.iter().rev().fold(x, |x, layer| layer.forward(x));
        let x = self.layers.iter().try_fold(x, |x, layer| Some(layer.forward(x)))?;
        let x = self.layers.iter().fold(x, Layer::step);
        self.layers.iter().rfold(x, |x, layer| layer.forward(x))
    "
    );
}

#[test]
fn leaving_the_loop() {
    check!(
        stack,
        "
        'layers: for layer in &self.layers {
            if layer.last { break; }
            if layer.skip { continue; }
            let Some(y) = layer.y() else { return x };
            loop { continue 'layers; }
            x = layer.forward(x, y)?;
            x = send(x).await;
            let (a, b) = { if a { break 'layers } (1, 2) };
        }
        x
    "
    );
}

#[test]
fn modules_in_the_body() {
    check!(
        stack,
        "
        let f = &self.f;
        for layer in &self.layers {
            x = layer.forward(self.norm.forward(x)) * self.scale;
            x = f.forward(x);
            debug!(\"{}\", self.scale);
        }
        self.layers.iter().fold(x, |x, layer| layer.forward(x) * self.scale)
    "
    );
}

#[test]
fn loops_in_loops() {
    check!(
        stack,
        "
        for a in &self.layers {
            x = a.forward(x);
            for b in &self.others { x = b.forward(x); }
        }
        x
    "
    );
}

#[test]
fn changes_in_place() {
    check!(
        stack,
        "
        let mut outs = Vec::new();
        let mut state = State::default();
        let counter = &mut n;
        for (i, layer) in self.layers.iter().enumerate() {
            x = layer.forward(x);
            outs.push(x.clone());
            outs[i] = x.clone();
            state.last.extend(x.clone());
            state.sum += x.clone();
            *counter = i;
            fill(&mut outs, &raw mut state);
            (state.a, _) = layer.pair();
        }
        x
    "
    );
}

#[test]
fn changes_of_what_is_carried() {
    check!(
        stack,
        "
        for layer in &self.layers {
            x = layer.forward(x);
            scale(&mut x);
            x.inner.n += 1;
        }
        x
    "
    );
}

#[test]
fn changes_in_folds() {
    check!(
        stack,
        "
        let mut n = 0;
        self.layers.iter().fold(x, |x, layer| {
            n += 1;
            outs.push(x.clone());
            mask = layer.mask();
            layer.forward(x)
        })
    "
    );
}

#[test]
fn out_of_sight() {
    check!(
        stack,
        "
        for layer in &self.layers { x = run(layer, x); }
        for layer in &self.layers { x = Layer::forward(layer, x); }
        for layer in &self.layers { x = dbg!(layer.forward(x)); }
        for layer in &self.layers { last = layer; }
        x
    "
    );
}

#[test]
fn receivers() {
    check!(
        with_struct,
        "
        struct Stack(#[checkpoint(recursive)] Vec<Layer>);
        ---
        impl Stack {
            fn other(this: &Self, mut x: Tensor<3>) -> Tensor<3> {
                for layer in &this.0 { x = layer.forward(x); }
                x
            }
            fn by_value(self, mut x: Tensor<3>) -> Tensor<3> {
                for layer in &self.0 { x = layer.forward(x); }
                for layer in self.0 { x = layer.forward(x); }
                x
            }
            fn mutable(&mut self, mut x: Tensor<3>) -> Tensor<3> {
                for layer in &self.0 { x = layer.forward(x); }
                x
            }
            async fn later(&self, mut x: Tensor<3>) -> Tensor<3> {
                for layer in &self.0 { x = layer.forward(x); }
                x
            }
        }
    "
    );
}
