//! A recomputed layer keeps its input.

use burn::module::Module;
use burn::nn::Relu;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    #[recompute(cheap)]
    relu: Relu,
}

fn main() {}
