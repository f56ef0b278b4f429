//! A result in which remat does not find the tensors.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

struct Scores {
    scores: Tensor<3>,
}

#[derive(Module, Debug)]
struct Head {
    linear: Linear,
}

impl Head {
    fn forward(&self, x: Tensor<3>) -> Scores {
        Scores { scores: self.linear.forward(x) }
    }
}

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    head: Head,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.head.forward(x).scores
    }
}

fn main() {}
