//! A layer that runs again must find `self` as it was.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    up: Linear,
    #[checkpoint]
    layers: Vec<Linear>,
    down: Linear,
}

#[remat::forward]
impl Block {
    fn forward(&mut self, x: Tensor<3>) -> Tensor<3> {
        self.up.forward(x)
    }

    fn forward_typed(self: &mut Self, x: Tensor<3>) -> Tensor<3> {
        self.layers.iter().fold(x, |x, layer| layer.forward(x))
    }

    // Not reported: no annotated call.
    fn reset(&mut self) {
        self.up = self.down.clone();
    }
}

fn main() {}
