//! `#[remat::forward]` on what has no methods of a struct.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;

#[remat::forward]
#[derive(Module, Debug)]
struct Block {
    up: Linear,
}

#[remat::forward]
trait Layer {
    fn forward(&self, x: Tensor<3>) -> Tensor<3>;
}

#[remat::forward]
mod model {}

// All of them are still there.
#[remat::forward]
impl Layer for &Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.up.forward(x)
    }
}

fn main() {}
