//! An attention with `#[autocast(bf16)]` is taken apart, so its input must be in sight.

use burn::module::Module;
use burn::nn::attention::{MhaInput, MhaOutput, MultiHeadAttention};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
#[autocast(bf16)]
struct Block {
    attention: MultiHeadAttention,
}

#[remat::forward]
impl Block {
    fn forward(&self, input: MhaInput) -> MhaOutput {
        self.attention.forward(input)
    }

    fn forward_part(&self, x: Tensor<3>) -> Tensor<3> {
        self.attention.query.forward(x)
    }
}

fn main() {}
