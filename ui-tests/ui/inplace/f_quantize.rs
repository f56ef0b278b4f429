//! A quantized layer keeps its input.

use burn::module::Module;
use burn::nn::Relu;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    #[quantize(bits = 8)]
    relu: Relu,
}

fn main() {}
