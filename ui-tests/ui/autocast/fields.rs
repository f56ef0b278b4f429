//! `#[autocast(..)]` on layers that need f32, and with what it does not stack.

use burn::module::Module;
use burn::nn::attention::MultiHeadAttention;
use burn::nn::loss::CrossEntropyLoss;
use burn::nn::{LayerNorm, Linear, Lstm};
use remat::Remat;

#[derive(Module, Debug)]
struct Mine {
    linear: Linear,
}

#[derive(Remat)]
struct Layers {
    #[autocast(bf16)]
    norm: LayerNorm,
    #[autocast(f16)]
    loss: CrossEntropyLoss,
    #[autocast(bf16)]
    lstm: Lstm,
    #[checkpoint]
    #[autocast(bf16)]
    attention: MultiHeadAttention,
    #[checkpoint(every = 2)]
    #[autocast(bf16)]
    groups: Vec<Mine>,
}

#[derive(Remat)]
#[autocast(bf16)]
struct NoLayerOfBurns {
    mine: Mine,
    width: usize,
}

#[derive(Remat)]
#[autocast(bf16, output = f32)]
struct Output {
    up: Linear,
}

#[derive(Remat)]
#[autocast(bf16)]
struct WithTail {
    up: Linear,
    #[remat(tail)]
    down: Linear,
}

#[derive(Remat)]
#[autocast(bf16)]
enum OnAnEnum {
    One(Linear),
}

fn main() {}
