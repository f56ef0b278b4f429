//! A variable that is a layer at some time, and something else at another.

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
        let layer;
        layer = &self.up;
        let mut current = &self.layers[0];
        let x = current.forward(layer.forward(x));
        current = &self.down;
        current.forward(x)
    }
}

fn main() {}
