//! Annotations without the derive: rustc knows whose they are if `Remat` is imported.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug)]
struct Block {
    #[checkpoint]
    up: Linear,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.up.forward(x)
    }
}

#[derive(Module, Debug, Remat)]
struct Transformer {
    #[checkpoint]
    blocks: Vec<Block>,
}

fn main() {}
