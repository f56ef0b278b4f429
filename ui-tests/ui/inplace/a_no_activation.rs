//! What is no activation cannot be in place.

use burn::module::Module;
use burn::nn::{LayerNorm, Linear};
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    linear: Linear,
    #[inplace]
    norm: LayerNorm,
}

fn main() {}
