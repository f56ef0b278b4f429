//! The options of the struct on a field.

use burn::module::Module;
use burn::nn::Linear;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[remat(crate = ::remat)]
    up: Linear,
}

fn main() {}
