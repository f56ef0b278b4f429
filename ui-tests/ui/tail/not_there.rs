//! Tails in methods that are not `forward`, and in the impl of a trait.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[remat(tail)]
    down: Linear,
}

#[remat::forward]
impl Block {
    fn mlp(&self, x: Tensor<2>) -> Tensor<2> {
        self.down.forward(x)
    }
}

trait Layer {
    fn forward(&self, x: Tensor<2>) -> Tensor<2>;
}

#[remat::forward]
impl Layer for Block {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.down.forward(x)
    }
}

fn main() {}
