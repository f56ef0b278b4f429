//! `#[remat::forward]` without the derive: the name of the macro that rustc does not find says what to write.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;

#[derive(Module, Debug)]
struct Block {
    up: Linear,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.up.forward(x)
    }
}

// rustc drops an impl that it cannot expand. That it misses the method here as well cannot be avoided.
fn run(block: &Block, x: Tensor<3>) -> Tensor<3> {
    block.forward(x)
}

fn main() {}
