//! `#[remat(tail)]`, and `early_stop` on the fields that hold such structs.

use super::{TAIL, check, derive, rewritten, with_struct};

/// What becomes of these statements in a method of [`TAIL`].
fn tail(body: &str) -> String {
    let source = format!(
        "impl Block {{\n    fn forward(&self, x: Tensor<3>) -> Tensor<3> {{\n{body}    }}\n}}\n"
    );
    super::expansion::render(&source, rewritten(TAIL, &source))
}

/// What becomes of these impls of [`TAIL`], one after the other.
fn block_of_tails(sources: &str) -> String {
    let rewritten = |source: &str| super::expansion::render(source, rewritten(TAIL, source));
    let all: Vec<String> = sources.split("---\n").map(rewritten).collect();
    all.join("\n---\n")
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
            #[remat(tail)]
            h: Option<Linear>,
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
        #[allow(deprecated)]
        impl<B: Layer> Block<B> {
            /// Documented.
            #[must_use]
            #[expect(unused_mut)]
            pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
                let h = self.gelu.forward(self.up.forward(self.norm.forward(x.clone())));
                let h = self.down.forward(self.dropout.forward(h));
                x + self.dropout.forward(h)
            }

            fn other(&self) {}
        }
    "
    );
}

#[test]
fn what_is_returned() {
    check!(
        tail,
        "
        if self.early {
            return self.down.forward(x);
        }
        let half = |y| { return y * 0.5; };
        let h = self.down.forward(half(x.clone()));
        match x.dims()[0] {
            0 => todo!(),
            1 => return x,
            2 => { if self.early { (h, 1) } else { x } }
            _ => Some(h.reshape([1, 2])),
        }
    "
    );
}

#[test]
fn not_there() {
    check!(
        block_of_tails,
        "
        impl Layer for Block {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                self.down.forward(x)
            }
        }
        ---
        impl Block {
            fn mlp(&self, x: Tensor<3>) -> Tensor<3> {
                self.down.forward(x)
            }

            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                self.down.forward_transposed(self.down.forward(x, 3))
            }
        }
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
