//! `#[checkpoint]` twice on one field.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    /// Other attributes may stand between.
    #[checkpoint]
    #[allow(unused)]
    #[checkpoint(deterministic)]
    up: Linear,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.up.forward(x)
    }
}

fn main() {}
