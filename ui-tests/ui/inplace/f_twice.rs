//! One is enough.

use burn::module::Module;
use burn::nn::Relu;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    #[inplace]
    relu: Relu,
}

fn main() {}
