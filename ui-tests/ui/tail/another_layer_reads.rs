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
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.head.forward(self.down.forward(x))
    }
}

fn main() {}
