//! The output of a tail goes through a layer whose gradient needs its value.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[remat(tail)]
    down: Linear,
    head: Linear,
    dropout: Dropout,
}

/// Not burn's.
#[derive(Module, Debug)]
struct Dropout {
    scale: f64,
}

impl Dropout {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        x * self.scale
    }
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.head.forward(self.down.forward(x))
    }

    fn forward_dropped(&self, x: Tensor<2>) -> Tensor<2> {
        self.dropout.forward(self.down.forward(x))
    }
}

fn main() {}
