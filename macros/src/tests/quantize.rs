//! `#[quantize(bits = 8)]`.

use super::{check, derive, net, net_impl, with_struct};

#[test]
fn constants_and_table() {
    check!(
        derive,
        "
        struct Block<const N: usize> {
            #[quantize(bits = 8)]
            up: Linear,
            #[quantize(bits = 4, group = 64)]
            several: Vec<nn::Linear>,
            #[quantize(bits = 2, rounding = nearest)]
            maybe: Option<[Conv2d; 2]>,
            #[quantize(rounding = stochastic, min_elements = 0, bits = 8, group = 2 * N)]
            all: Gelu,
            #[quantize(bits = Self::BITS)]
            constant: Mine,
            #[quantize(bits = (0b10))]
            parentheses: MultiHeadAttention,
            #[quantize(bits = -1)]
            any: Lstm,
            #[quantize(bits = 8)]
            pool: MaxPool2d,
            #[quantize(bits = 8)]
            norm: BatchNorm,
            plain: Linear,
        }
    "
    );
}

#[test]
fn one_bit() {
    check!(
        derive,
        "
        struct Block {
            #[quantize(bits = 1)]
            a: Relu,
            #[quantize(bits = 1, min_elements = 1024)]
            b: Vec<nn::activation::Relu>,
            #[quantize(bits = 1)]
            c: Option<[Relu; 2]>,
            #[quantize(bits = 1)]
            d: mine::Relu,
            #[quantize(bits = Self::ONE)]
            e: Gelu,
        }
    "
    );
}

#[test]
fn on_checkpoints() {
    check!(
        derive,
        "
        struct Block {
            #[checkpoint]
            #[quantize(bits = 8)]
            a: MultiHeadAttention,
            #[quantize(bits = 4, group = 64, rounding = nearest, min_elements = 1024)]
            #[checkpoint(deterministic)]
            b: Mine,
            #[checkpoint(early_stop)]
            #[quantize(bits = 2)]
            c: Block,
            #[quantize(bits = 8)]
            #[checkpoint(every = 4, keep_last, deterministic)]
            d: Vec<Layer>,
            #[checkpoint(sqrt, early_stop)]
            #[quantize(bits = BITS)]
            e: [Layer; 9],
            #[checkpoint]
            #[quantize(bits = 8)]
            f: Dropout,
        }
    "
    );
}

#[test]
fn calls() {
    check!(
        net,
        "
        x = self.up.forward(x);
        for layer in &self.several {
            x = layer.forward(x);
        }
        if let Some(relu) = &self.relu {
            x = relu.forward(x);
        }
        let Self { up, .. } = self;
        let x = self.several.iter().fold(x, |x, layer| layer.forward(x, 3));
        let x = self.relu.as_ref().unwrap().forward(self.several[0].forward(x.clone() * self.scale));
        up.forward_masked(Input { x, mask: Some(mask) })
    "
    );
}

#[test]
fn calls_of_checkpoints() {
    check!(
        net,
        "
        let x = self.attention.forward(MhaInput::self_attn(self.up.forward(x)).mask_pad(mask.clone())).context;
        for block in &self.blocks {
            x = block.forward(x, mask.clone());
        }
        self.last.forward(x)
    "
    );
}

#[test]
fn tuple_struct_and_renamed_crate() {
    check!(
        derive,
        "
        #[remat(crate = crate::reexports::memory)]
        struct Block(
            #[quantize(bits = 8, rounding = stochastic)] Linear,
            #[checkpoint] #[quantize(bits = 8, rounding = nearest)] Linear,
        );
    "
    );
}

#[test]
fn calls_of_a_tuple_struct() {
    check!(
        with_struct,
        "
        #[remat(crate = crate::reexports::memory)]
        struct Block(#[quantize(bits = 8)] Linear, Gelu);
        ---
        impl Block {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                self.1.forward(self.0.forward(x))
            }
        }
    "
    );
}

#[test]
fn in_a_method_without_its_tail() {
    check!(
        with_struct,
        "
        struct Block {
            #[quantize(bits = 8)]
            up: Linear,
            #[remat(tail)]
            down: Linear,
        }
        ---
        impl Block {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                x.clone() + self.down.forward(self.up.forward(x))
            }
        }
    "
    );
}

#[test]
fn a_sequential_struct() {
    check!(
        derive,
        "
        #[remat(sequential(Tensor<2> -> Tensor<2>))]
        struct Mlp {
            #[quantize(bits = 8)]
            up: Linear,
            #[quantize(bits = 1)]
            relu: Option<Relu>,
            #[checkpoint(every = 2)]
            #[quantize(bits = 8)]
            blocks: Blocks,
        }
    "
    );
}

#[test]
fn nothing_runs_again() {
    check!(
        net_impl,
        "
        impl Net {
            fn forward(&mut self, x: Tensor<3>) -> Tensor<3> {
                self.up.forward(x)
            }
        }
    "
    );
}

#[test]
fn what_runs_again() {
    check!(
        net_impl,
        "
        impl Net {
            fn forward(&mut self, x: Tensor<3>) -> Tensor<3> {
                self.attention.forward(x)
            }
        }
    "
    );
}

#[test]
fn what_a_function_of_its_own_cannot_do() {
    check!(
        net_impl,
        "
        impl Net {
            async fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                self.up.forward(x)
            }
            fn borrowed(&self, x: Tensor<3>) -> Tensor<3> {
                self.up.forward(&x);
                self.several[0].forward(x, |y| y + x)
            }
            fn lost(&self, x: Tensor<3>) -> Tensor<3> {
                run(&self.up, x);
                println!(\"{}\", self.up.forward(x));
                self.attention.forward(&x)
            }
        }
    "
    );
}

#[test]
fn malformed() {
    check!(
        derive,
        r#"
        struct Block {
            #[quantize]
            a: Linear,
            #[quantize()]
            b: Linear,
            #[quantize(8)]
            c: Linear,
            #[quantize = 8]
            d: Linear,
            #[quantize[bits = 8]]
            e: Linear,
            #[quantize("bits")]
            f: Linear,
            #[quantize(group = 64, 8)]
            g: Linear,
        }
    "#
    );
}

#[test]
fn options() {
    check!(
        derive,
        "
        struct Block {
            #[quantize(group = 64)]
            a: Linear,
            #[quantize(bit = 8)]
            b: Linear,
            #[quantize(bits = 8, deterministic, min_element = 3)]
            c: Linear,
            #[quantize(bits = 8, bits = 4, group = 1, group = 2)]
            d: Linear,
            #[quantize(bits = 8, rounding = nearest, rounding = nearest, min_elements = 1, min_elements = 1)]
            e: Linear,
            #[quantize(bits)]
            f: Linear,
            #[quantize(bits(8), group =, min_elements)]
            g: Linear,
            #[quantize(bits = 8 4)]
            h: Linear,
        }
    "
    );
}

#[test]
fn numbers() {
    check!(
        derive,
        r#"
        struct Block {
            #[quantize(bits = 3)]
            a: Linear,
            #[quantize(bits = 0)]
            b: Relu,
            #[quantize(bits = (16))]
            c: Linear,
            #[quantize(bits = "8")]
            d: Linear,
            #[quantize(bits = 8.0, group = 0)]
            e: Linear,
            #[quantize(bits = 8, group = "64", min_elements = 1e3)]
            f: Linear,
            #[checkpoint]
            #[quantize(bits = 5)]
            g: Linear,
        }
    "#
    );
}

#[test]
fn roundings() {
    check!(
        derive,
        r#"
        struct Block {
            #[quantize(bits = 8, rounding = neerest)]
            a: Linear,
            #[quantize(bits = 8, rounding = stochastical)]
            b: Linear,
            #[quantize(bits = 8, rounding = up)]
            c: Linear,
            #[quantize(bits = 8, rounding = Rounding::Nearest)]
            d: Linear,
            #[quantize(bits = 8, rounding = "nearest")]
            e: Linear,
            #[quantize(bits = 8, rounding)]
            f: Linear,
            #[quantize(bits = 8, rounding(nearest))]
            g: Linear,
        }
    "#
    );
}

#[test]
fn with_other_strategies() {
    check!(
        derive,
        "
        struct Block {
            #[quantize(bits = 8)]
            #[recompute(cheap)]
            a: LayerNorm,
            #[recompute(attention)]
            #[quantize(bits = 8)]
            b: MultiHeadAttention,
            #[quantize(bits = 8)]
            #[frozen_stats]
            c: BatchNorm,
            #[quantize(bits = 8)]
            #[quantize(bits = 4)]
            d: Linear,
            #[quantize(bits = 8)]
            #[frozen_stats]
            #[checkpoint]
            e: BatchNorm,
            #[checkpoint]
            #[quantize(bits = 8)]
            #[quantize(bits = 4)]
            f: Linear,
        }
    "
    );
}

#[test]
fn one_bit_of_a_checkpoint() {
    check!(
        derive,
        "
        struct Block {
            #[checkpoint]
            #[quantize(bits = 1)]
            a: Relu,
            #[quantize(bits = (1), group = 64)]
            #[checkpoint(every = 2)]
            b: Vec<Layer>,
        }
    "
    );
}

#[test]
fn one_bit_of_other_layers() {
    check!(
        derive,
        "
        struct Block<T> {
            #[quantize(bits = 1)]
            a: Gelu,
            #[quantize(bits = 1)]
            b: Vec<Linear>,
            #[quantize(bits = 1)]
            c: Option<[Mine; 2]>,
            #[quantize(bits = 1)]
            d: T,
            #[quantize(bits = 1)]
            e: Relu6,
            #[quantize(bits = 1)]
            f: (Relu, Relu),
            #[quantize(bits = 1)]
            g: Dropout,
            #[quantize(bits = 1)]
            h: usize,
        }
    "
    );
}

#[test]
fn nothing_to_compress() {
    check!(
        derive,
        "
        struct Block {
            #[quantize(bits = 8)]
            a: Dropout,
            #[quantize(bits = 8)]
            b: Option<remat::nn::Dropout>,
            #[quantize(bits = 8)]
            c: Embedding,
            #[quantize(bits = 8)]
            d: [GaussianNoise; 2],
            #[quantize(bits = 8)]
            e: PositionalEncoding,
            #[quantize(bits = 8)]
            f: RotaryEncoding,
            #[checkpoint]
            #[quantize(bits = 8)]
            g: Vec<nn::Embedding>,
        }
    "
    );
}

#[test]
fn on_other_fields() {
    check!(
        derive,
        "
        struct Block {
            #[quantize(bits = 8)]
            a: Param<Tensor<2>>,
            #[module(skip)]
            #[quantize(bits = 8)]
            b: Linear,
            #[quantize(bits = 8)]
            #[remat(tail)]
            c: Linear,
            #[remat(quantize)]
            d: Linear,
            #[remat(quantize(bits = 8))]
            e: Linear,
        }
    "
    );
}

#[test]
fn skipped_fields() {
    check!(
        derive,
        "
        #[remat(sequential(Tensor<2> -> Tensor<2>))]
        struct Mlp {
            up: Linear,
            #[remat(skip)]
            #[quantize(bits = 8)]
            one: Linear,
            #[checkpoint]
            #[quantize(bits = 8)]
            #[remat(skip)]
            both: Linear,
            #[quantize(bits = 8)]
            size: usize,
        }
    "
    );
}

#[test]
fn not_on_a_field() {
    check!(
        derive,
        "
        #[quantize(bits = 8)]
        enum Activation {
            #[quantize(bits = 8)]
            Relu(#[quantize(bits = 1)] Relu),
        }
    "
    );
}
