//! burn does not visit a field with `#[module(skip)]`: its parameters would get no gradients.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    #[module(skip)]
    up: Linear,
    // Nothing is wrong with this one.
    #[module(skip)]
    down: Linear,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.down.forward(self.up.forward(x))
    }
}

fn main() {}
