//! Layers that cannot be a tail.

use burn::module::Module;
use burn::nn::{LayerNorm, Linear};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[remat(tail)]
    norm: LayerNorm,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.norm.forward(x)
    }
}

#[derive(Module, Debug, Remat)]
struct Both {
    #[checkpoint]
    #[remat(tail)]
    down: Linear,
}

#[remat::forward]
impl Both {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.down.forward(x)
    }
}

fn main() {}
