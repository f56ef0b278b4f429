//! A strategy is for a field, not for the struct.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
#[checkpoint]
struct Block {
    up: Linear,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.up.forward(x)
    }
}

fn main() {}
