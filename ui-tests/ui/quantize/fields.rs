//! `#[quantize(..)]` where it would do nothing, and with what it does not stack.

use burn::nn::{BatchNorm, Dropout, Embedding, LayerNorm, Linear};
use remat::Remat;

#[derive(Remat)]
struct Layers {
    #[quantize(bits = 8)]
    dropout: Dropout,
    #[quantize(bits = 8)]
    embedding: Embedding,
    #[quantize(bits = 8)]
    norm: LayerNorm,
    #[frozen_stats]
    #[quantize(bits = 8)]
    frozen: BatchNorm,
    #[quantize(bits = 8)]
    #[quantize(bits = 4)]
    twice: Linear,
    #[remat(quantize)]
    misplaced: Linear,
}

#[derive(Remat)]
#[quantize(bits = 8)]
struct OnTheStruct {
    linear: Linear,
}

fn main() {}
