//! A layer that is handed to a function, where a call of it would be missed.

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

fn run(layer: &Linear, x: Tensor<3>) -> Tensor<3> {
    layer.forward(x)
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        // Not reported: the struct as a whole, and a number that comes out of a layer.
        let x = self.other(x) * self.layers.len() as f64;
        let x = run(&self.up, x);
        let up = &self.up;
        run(up, x)
    }

    fn other(&self, x: Tensor<3>) -> Tensor<3> {
        self.layers.iter().fold(x, |x, layer| layer.forward(x))
    }
}

fn main() {}
