//! The gradient of Gelu needs its input.

use burn::module::Module;
use burn::nn::Gelu;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    gelu: Gelu,
}

fn main() {}
