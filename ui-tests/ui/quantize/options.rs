//! `#[quantize(..)]` with options that are missing, wrong, twice or unknown.

use burn::nn::{Gelu, Linear, Relu};
use remat::Remat;

#[derive(Remat)]
struct Layers {
    #[quantize]
    bare: Linear,
    #[quantize()]
    empty: Linear,
    #[quantize(8)]
    number: Linear,
    #[quantize(bits = 3)]
    three: Linear,
    #[quantize(bits = 8, bits = 4)]
    twice: Linear,
    #[quantize(bits = 8, gruop = 64)]
    mistyped: Linear,
    #[quantize(bits = 8, group = 0)]
    no_group: Linear,
    #[quantize(bits = 8, rounding = nearst)]
    rounding: Linear,
    #[quantize(group = 64)]
    no_bits: Linear,
    #[quantize(bits = 1)]
    signs: Gelu,
    #[quantize(bits = 1)]
    #[checkpoint]
    signs_of_a_segment: Relu,
}

fn main() {}
