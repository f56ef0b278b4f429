//! Annotated calls in the tokens of macro calls.

use super::{block_impl, check, method, with_struct};

#[test]
fn calls() {
    check!(
        method,
        r#"
        let v = vec![self.f.forward(x)];
        println!("{}", self.f.forward(x));
        assert_eq!((1, [self.maybe.as_ref().unwrap().forward::<3>(x)]), y);
        let g = &self.g;
        trace!(g.forward(x));
        trace!(self.layers[0..n].iter().fold(x, |x, b| b.forward(x)));
        trace!(0..self.f.forward(x))
    "#
    );
}

#[test]
fn path_calls() {
    check!(method, "trace!(Linear::forward(&self.f, x))\n");
}

#[test]
fn loops() {
    check!(
        method,
        "
        each! { for b in &self.layers { x = b.forward(x); } }
        each!(self.layers, |b| b.forward(x))
    "
    );
}

#[test]
fn harmless() {
    check!(
        method,
        r#"
        assert_eq!(self.layers.len(), 3, "{}", self.norm.forward(x));
        debug!("{} {:?}", self.f, other.f.forward(x));
        let f = &self.norm;
        let ys = vec![f.forward(x), x.forward(self.f.len())];
        matches!(self.maybe, Some(_))
    "#
    );
}

#[test]
fn tuple_field() {
    check!(
        with_struct,
        "
        struct Block(#[checkpoint] Linear, LayerNorm);
        ---
        impl Block {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                trace!(self.0.1.forward(x));
                trace!(self.1.0.forward(x));
                trace!(self.0.forward(x))
            }
        }
    "
    );
}

#[test]
fn in_place_of_a_method() {
    check!(
        block_impl,
        "
        impl Block {
            methods! {
                fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                    self.f.forward(x)
                }
            }
        }
    "
    );
}
