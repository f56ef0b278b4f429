//! `#[recompute(cheap)]` on layers that are not cheap, and with what it does not stack.

use burn::nn::conv::Conv2d;
use burn::nn::{Gelu, Linear};
use remat::Remat;

#[derive(Remat)]
struct Block {
    #[recompute(cheap)]
    linear: Linear,
    #[recompute(cheap)]
    convolutions: Vec<Conv2d>,
    #[recompute(cheap)]
    #[checkpoint]
    both: Gelu,
    #[recompute]
    malformed: Gelu,
    #[recompute(deterministic)]
    not_cheap: Gelu,
    #[recompute(chaep)]
    mistyped: Gelu,
    #[recompute(cheap)]
    #[recompute(cheap)]
    twice: Gelu,
}

fn main() {}
