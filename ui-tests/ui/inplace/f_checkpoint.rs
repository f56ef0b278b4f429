//! A checkpoint keeps its input.

use burn::module::Module;
use burn::nn::Relu;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[checkpoint]
    #[inplace]
    relu: Relu,
}

fn main() {}
