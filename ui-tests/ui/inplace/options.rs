//! There are no options.

use burn::module::Module;
use burn::nn::Relu;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace(always)]
    relu: Relu,
    #[inplace = 1]
    other: Relu,
}

fn main() {}
