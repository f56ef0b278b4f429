//! A function that an iterator calls with layers, in place of a closure.

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
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let run = |x: Tensor<3>, layer: &Linear| layer.forward(x);
        self.layers.iter().fold(x, run)
    }
}

fn main() {}
