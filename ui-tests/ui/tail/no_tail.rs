//! `early_stop` on layers that have no tail, and around a body that may read their outputs.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Stack {
    #[checkpoint(early_stop)]
    first: Linear,
    #[checkpoint(every = 2, early_stop)]
    layers: Vec<Linear>,
}

#[remat::forward]
impl Stack {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.first.forward(x)
    }
}

#[derive(Module, Debug, Remat)]
struct Reading {
    #[checkpoint(every = 2, early_stop)]
    layers: Vec<Linear>,
}

#[remat::forward]
impl Reading {
    fn forward(&self, mut x: Tensor<2>) -> Tensor<2> {
        for layer in &self.layers {
            x = layer.forward(x).tanh();
        }
        x
    }
}

fn main() {}
