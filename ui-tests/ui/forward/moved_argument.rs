//! rustc's errors about a rewritten call are at the user's tokens: a tensor that is used after it was moved.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    up: Linear,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let h = self.up.forward(x);
        h + x
    }
}

fn main() {}
