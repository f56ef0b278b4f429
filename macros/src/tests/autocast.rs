//! `#[autocast(bf16)]`.

use super::{check, derive, with_struct};

#[test]
fn constants_and_table() {
    check!(
        derive,
        "
        struct Block {
            #[autocast(bf16)]
            up: Linear,
            #[autocast(f16, output = f32)]
            several: Vec<nn::Linear>,
            #[autocast(output = bf16, f32)]
            norm: Option<LayerNorm>,
            #[autocast(bf16)]
            attention: MultiHeadAttention,
            #[autocast(f32)]
            island: MultiHeadAttention,
            #[autocast(f32)]
            loss: MseLoss,
            #[autocast(bf16)]
            mine: Mine,
            plain: Linear,
        }
    "
    );
}

#[test]
fn with_other_strategies() {
    check!(
        derive,
        "
        struct Block {
            #[checkpoint]
            #[autocast(bf16)]
            segment: Mine,
            #[autocast(bf16)]
            #[recompute(cheap)]
            gelu: Gelu,
            #[recompute(attention)]
            #[autocast(bf16, output = bf16)]
            attention: MultiHeadAttention,
            #[quantize(bits = 8)]
            #[autocast(bf16)]
            up: Linear,
            #[frozen_stats]
            #[autocast(f32)]
            norm: BatchNorm,
            #[checkpoint(deterministic)]
            #[quantize(bits = 4)]
            #[autocast(f16)]
            all: Mine,
            #[autocast(bf16)]
            #[quantize(bits = 1)]
            relu: Relu,
        }
    "
    );
}

/// Each kind of layer has its precision; the user's own types have annotations of their own.
#[test]
fn the_default_of_a_struct() {
    check!(
        derive,
        "
        #[autocast(bf16)]
        struct Block {
            norm: LayerNorm,
            attention: MultiHeadAttention,
            linear: Linear,
            convs: Vec<Conv2d>,
            activation: Option<Gelu>,
            softplus: Softplus,
            pool: MaxPool2d,
            embedding: Embedding,
            loss: CrossEntropyLoss,
            mine: Mine,
            #[autocast(f32)]
            own: Linear,
            #[checkpoint]
            segment: Linear,
            #[quantize(bits = 8)]
            compressed: Linear,
            #[recompute(cheap)]
            lean: RmsNorm,
            #[frozen_stats]
            frozen: BatchNorm,
            #[module(skip)]
            skipped: Linear,
            width: usize,
            weight: Param<Tensor<2>>,
        }
    "
    );
}

#[test]
fn an_island_of_f32() {
    check!(
        derive,
        "
        #[autocast(f32)]
        struct Block {
            norm: LayerNorm,
            lstm: Lstm,
            attention: MultiHeadAttention,
            mine: Mine,
        }
    "
    );
}

#[test]
fn calls() {
    check!(
        with_struct,
        "
        struct Net {
            #[autocast(bf16)]
            up: Linear,
            #[autocast(bf16)]
            attention: MultiHeadAttention,
            #[checkpoint]
            #[autocast(bf16)]
            segment: Mine,
            #[autocast(f16)]
            layers: Vec<Linear>,
        }
        ---
        impl Net {
            fn forward(&self, x: Tensor<3>, mask: Tensor<2, Bool>) -> Tensor<3> {
                let x = self.segment.forward(self.up.forward(x));
                let input = MhaInput::self_attn(x.clone()).mask_pad(mask.clone());
                let h = self.attention.forward(MhaInput::self_attn(x).mask_pad(mask)).context;
                self.layers.iter().fold(h, |h, layer| layer.forward(h))
            }
        }
    "
    );
}

/// What is called several times is cast once. Each method says what is to be seen in it.
#[test]
fn calls_that_repeat() {
    check!(
        with_struct,
        "
        struct Net {
            #[autocast(bf16)]
            up: Linear,
            #[autocast(bf16)]
            down: Linear,
            #[autocast(bf16)]
            attention: MultiHeadAttention,
            #[autocast(f16)]
            layers: Vec<Linear>,
            #[autocast(bf16)]
            maybe: Option<Linear>,
            #[checkpoint]
            #[autocast(bf16)]
            segment: Mine,
            #[checkpoint(every = 2)]
            groups: Vec<Mine>,
        }
        ---
        impl Net {
            fn two_places(&self, x: Tensor<2>) -> Tensor<2> {
                const TWICE: usize = 2;
                let h = self.up.forward(self.up.forward(x));
                self.down.forward(h)
            }

            fn loops(self, mut x: Tensor<3>) -> Tensor<3> {
                for _ in 0..3 {
                    x = self.attention.forward(MhaInput::self_attn(x)).context;
                }
                while x.clone().sum().into_scalar() > 1.0 {
                    x = self.up.forward(x);
                }
                loop {
                    x = self.down.forward(x);
                    if let Some(maybe) = &self.maybe {
                        return maybe.forward(x);
                    }
                }
            }

            fn closures(&self, x: Tensor<2>) -> Tensor<2> {
                (0..3).fold(x, |x, _| self.up.forward(x))
            }

            fn a_list_again_and_again(&self, mut x: Tensor<2>) -> Tensor<2> {
                for _ in 0..3 {
                    for layer in &self.layers {
                        x = layer.forward(self.down.forward(x));
                    }
                }
                x
            }

            fn a_list_in_two_places(&self, x: Tensor<2>) -> Tensor<2> {
                let x = self.layers.iter().fold(x, |x, layer| layer.forward(x));
                self.layers.iter().rev().fold(x, |x, layer| layer.forward(x))
            }

            fn others_in_a_loop_over_a_list(&self, mut x: Tensor<2>) -> Tensor<2> {
                for (layer, i) in self.layers.iter().zip(0..) {
                    x = layer.forward(self.up.forward(x));
                }
                x
            }

            fn once(&self, x: Tensor<2>) -> Tensor<2> {
                let h = self.up.forward(x);
                let h = self.layers.iter().fold(h, |h, layer| layer.forward(h));
                if let Some(maybe) = &self.maybe {
                    return maybe.forward(h);
                }
                h
            }

            fn elements(&self, mut x: Tensor<2>) -> Tensor<2> {
                for i in 0..2 {
                    x = self.layers[i].forward(x);
                }
                self.layers[0].forward(self.layers[1].forward(x))
            }

            fn segments(&self, mut x: Tensor<2>) -> Tensor<2> {
                for layer in &self.groups {
                    x = layer.forward(x);
                }
                self.segment.forward(self.segment.forward(x))
            }
        }
    "
    );
}

#[test]
fn options() {
    check!(
        derive,
        "
        struct Block {
            #[autocast]
            a: Linear,
            #[autocast()]
            b: Linear,
            #[autocast = bf16]
            c: Linear,
            #[autocast(bfloat16)]
            d: Linear,
            #[autocast(bf16, f16)]
            e: Linear,
            #[autocast(bf16, bf16)]
            f: Linear,
            #[autocast(bf16 = 1)]
            g: Linear,
            #[autocast(output = f32)]
            h: Linear,
            #[autocast(bf16, output = half)]
            i: Linear,
            #[autocast(bf16, output)]
            j: Linear,
            #[autocast(bf16, output = f32, output = f16)]
            k: Linear,
            #[autocast(bf16)]
            #[autocast(f16)]
            l: Linear,
        }
    "
    );
}

#[test]
fn layers_that_do_not_fit() {
    check!(
        derive,
        "
        struct Block {
            #[autocast(bf16)]
            norm: LayerNorm,
            #[autocast(f16)]
            batch: Vec<BatchNorm>,
            #[autocast(bf16)]
            loss: nn::loss::CrossEntropyLoss,
            #[autocast(f16)]
            bce: BinaryCrossEntropyLoss,
            #[autocast(bf16)]
            lstm: Lstm,
            #[autocast(bf16)]
            encoder: TransformerEncoder,
            #[checkpoint]
            #[autocast(bf16)]
            attention: MultiHeadAttention,
            #[checkpoint(every = 2)]
            #[autocast(bf16)]
            groups: Vec<Mine>,
            #[checkpoint(early_stop)]
            #[autocast(bf16)]
            early: Mine,
            #[autocast(bf16)]
            weight: Param<Tensor<2>>,
            #[autocast(bf16)]
            #[module(skip)]
            skipped: Linear,
            #[autocast(bf16)]
            #[quantize(bits = 8)]
            dropout: Dropout,
            #[remat(tail)]
            #[autocast(bf16)]
            tail: Linear,
        }
    "
    );
}

#[test]
fn defaults_that_do_not_fit() {
    check!(
        derive,
        "
        #[autocast(bf16)]
        #[autocast(f16)]
        struct Block {
            lstm: Lstm,
            #[checkpoint(sqrt)]
            layers: Vec<Linear>,
            up: Linear,
            #[remat(tail)]
            tail: Linear,
        }
    "
    );
}

/// A tuple of burn's layers is like one of them, if all are of a kind.
#[test]
fn defaults_of_tuples() {
    check!(
        derive,
        "
        #[autocast(bf16)]
        struct Block {
            pair: (Linear, Conv2d, usize),
            norms: Vec<(LayerNorm, Option<BatchNorm>)>,
            mine: (Mine, Yours),
            #[autocast(f32)]
            own: (Linear, LayerNorm),
            #[inplace]
            activations: (Relu, Tanh),
        }
    "
    );
}

#[test]
fn defaults_of_tuples_that_differ() {
    check!(
        derive,
        "
        #[autocast(f16)]
        struct Block {
            both: (Linear, LayerNorm),
            mine: [(Linear, Mine); 2],
            attention: (Linear, MultiHeadAttention),
        }
    "
    );
}

#[test]
fn a_default_for_nothing() {
    check!(
        derive,
        "
        #[autocast(bf16)]
        struct Block {
            norm: LayerNorm,
            mine: Mine,
            #[autocast]
            width: usize,
        }
    "
    );
}

#[test]
fn a_default_with_an_output() {
    check!(
        derive,
        "
        #[autocast(bf16, output = f32)]
        struct Block {
            up: Linear,
        }
    "
    );
}

#[test]
fn on_an_enum() {
    check!(
        derive,
        "
        #[autocast(bf16)]
        enum Block {
            A(Linear),
        }
    "
    );
}
