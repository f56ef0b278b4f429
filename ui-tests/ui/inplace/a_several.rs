//! The gradients of these need their input, also in containers.

use burn::module::Module;
use burn::nn::activation;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    silu: Vec<activation::SiLU>,
    #[inplace]
    softplus: Option<activation::Softplus>,
}

fn main() {}
