//! `#[remat::forward]` on a method instead of the impl, and on a free function.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    up: Linear,
}

impl Block {
    #[remat::forward]
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.up.forward(x)
    }
}

#[remat::forward]
fn run(block: &Block, x: Tensor<3>) -> Tensor<3> {
    // The method is still there.
    block.forward(x)
}

fn main() {
    // And so is the function.
    let _ = run;
}
