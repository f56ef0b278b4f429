//! A cast input is a copy.

use burn::module::Module;
use burn::nn::Relu;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    #[autocast(bf16)]
    relu: Relu,
}

fn main() {}
