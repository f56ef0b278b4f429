//! `#[autocast(..)]` that says too little, too much, or something else.

use burn::nn::Linear;
use remat::Remat;

#[derive(Remat)]
struct Layers {
    #[autocast]
    nothing: Linear,
    #[autocast(bfloat16)]
    unknown: Linear,
    #[autocast(bf16, f16)]
    several: Linear,
    #[autocast(output = f32)]
    no_precision: Linear,
    #[autocast(bf16, output = half)]
    no_output: Linear,
    #[autocast(bf16)]
    #[autocast(bf16)]
    twice: Linear,
    #[remat(autocast)]
    misplaced: Linear,
}

fn main() {}
