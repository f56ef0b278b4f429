//! A variable that is one layer or another.

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
        let layer = if self.layers.len() > 3 { &self.up } else { &self.down };
        // Not reported: both are elements of one field.
        let next = match self.layers.len() {
            1 => &self.layers[0],
            _ => &self.layers[1],
        };
        next.forward(layer.forward(x))
    }
}

fn main() {}
