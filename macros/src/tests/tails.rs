//! `#[remat(tail)]`, and `early_stop` on the fields that hold such structs.

use super::{TAIL, check, derive, rewritten, with_struct};

/// What becomes of these statements in a method of [`TAIL`].
fn tail(body: &str) -> String {
    let source = format!(
        "impl Block {{\n    fn forward(&self, x: Tensor<3>) -> Tensor<3> {{\n{body}    }}\n}}\n"
    );
    super::expansion::render(&source, rewritten(TAIL, &source))
}

#[test]
fn constants_and_table() {
    check!(
        derive,
        "
        struct Block {
            norm: LayerNorm,
            #[checkpoint]
            attention: Attention,
            #[remat(tail)]
            down: Linear,
        }
    "
    );
}

#[test]
fn keys_of_fields() {
    check!(
        derive,
        "
        struct Block {
            #[remat(tail, tail)]
            a: Linear,
            #[remat(tail = 3)]
            b: Linear,
            #[remat(tial)]
            c: Linear,
            #[remat]
            d: Linear,
            #[remat(crate = krate)]
            e: Linear,
            #[checkpoint]
            #[remat(tail)]
            f: Linear,
            #[remat(tail)]
            g: Tensor<2>,
        }
    "
    );
}

#[test]
fn residual() {
    check!(
        with_struct,
        "
        pub struct Block<B: Layer> {
            norm: LayerNorm,
            up: B,
            #[checkpoint]
            gelu: Gelu,
            #[remat(tail)]
            down: Linear,
            dropout: Dropout,
        }
        ---
        impl<B: Layer> Block<B> {
            /// Documented.
            #[must_use]
            pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
                let h = self.gelu.forward(self.up.forward(self.norm.forward(x.clone())));
                let h = self.down.forward(h);
                x + self.dropout.forward(h)
            }

            fn other(&self) {}
        }
    "
    );
}

#[test]
fn in_a_trait() {
    check!(
        with_struct,
        "
        struct Block {
            #[remat(tail)]
            down: Linear,
        }
        ---
        #[cfg(feature = \"x\")]
        impl Layer for Block {
            type Output = Tensor<3>;

            fn forward_masked(&self, x: Tensor<3>) -> Tensor<3> {
                self.down.forward(x)
            }
        }
    "
    );
}

#[test]
fn ways_out() {
    check!(
        tail,
        "
        if self.early {
            return self.down.forward(x);
        }
        let shape = x.dims();
        let (h, scale) = (self.down.forward(x.clone()), 2.0);
        let rows = h.dims()[0] * 2;
        let last = (h.dims()[1] - 1) as f64;
        let ends = x.clone().slice([0..h.dims()[0]]);
        let h = (h * 0.5 - x.clone()).reshape(shape).slice([0..1]).neg();
        let mut y = x.clone().add(h.clone());
        y = y - x.exp() * scale;
        let z = match rows {
            0 => y.clone(),
            _ => { let y = -y; y }
        };
        Output { hidden: Some(z.cast(x.dtype())), rows }
    "
    );
}

#[test]
fn values_that_are_read() {
    check!(
        tail,
        "
        let h = self.down.forward(x.clone());
        let a = h.clone() * x.clone();
        let b = h.clone().exp();
        let c = self.norm_of(h.clone());
        let d = self.attention.forward(h.clone());
        let e = softmax(h.clone(), 1);
        let f = x.clone().matmul(h.clone());
        println!(\"{}\", h);
        let g = xs.map(|x| x + h.clone());
        let i = layer.forward(h.clone());
        let mut y = x.clone();
        if y.dims()[0] > 1 {
            y = y + h.clone();
        }
        y.tanh()
    "
    );
}

#[test]
fn not_followed() {
    check!(
        tail,
        "
        let down = &self.down;
        for _ in 0..2 {
            x = self.down.forward(x);
        }
        let y = xs.map(|x| self.down.forward(x));
        let w = self.down.weight.val();
        down.forward(x)
    "
    );
}

#[test]
fn early_stop() {
    check!(
        with_struct,
        "
        struct Stack {
            #[checkpoint(early_stop)]
            blocks: Vec<Block>,
            #[checkpoint(every = 2, early_stop)]
            layers: Vec<Block>,
        }
        ---
        impl Stack {
            fn forward(&self, mut x: Tensor<3>, mask: Mask) -> Tensor<3> {
                for block in &self.blocks {
                    x = block.forward(x, mask.clone());
                }
                for layer in &self.layers {
                    x = layer.forward_masked(x, mask.clone());
                }
                self.layers.iter().fold(x, |x, layer| layer.forward(layer.forward(x)))
            }
        }
    "
    );
}

#[test]
fn early_stop_where_the_value_may_be_read() {
    check!(
        with_struct,
        "
        struct Stack {
            #[checkpoint(every = 2, early_stop)]
            layers: Vec<Block>,
        }
        ---
        impl Stack {
            fn forward(&self, mut x: Tensor<3>) -> Tensor<3> {
                for layer in &self.layers {
                    x = layer.forward(x).tanh();
                }
                for layer in &self.layers {
                    let h = layer.forward(x.clone());
                    x = x + h;
                }
                self.layers.iter().fold(x, |x, layer| x + layer.forward(x.clone()))
            }
        }
    "
    );
}

#[test]
fn a_sequential_struct_has_a_copy_too() {
    check!(
        derive,
        "
        #[remat(sequential(Tensor<2> -> Tensor<2>))]
        struct Mlp {
            up: Linear,
            #[remat(tail)]
            down: Linear,
        }
    "
    );
}
