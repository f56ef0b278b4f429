//! An argument in which remat does not find the tensors: its type in the user's words, at the call.
//!
//! Not at the argument: its type is also that of the generated closure's parameter, and rustc does not choose.

use burn::module::Module;
use burn::nn::Linear;
use burn::nn::attention::{MhaInput, MultiHeadAttention};
use burn::tensor::Tensor;
use remat::Remat;

struct Batch {
    x: Tensor<3>,
}

#[derive(Module, Debug)]
struct Head {
    linear: Linear,
}

impl Head {
    fn forward(&self, batch: Batch) -> Tensor<3> {
        self.linear.forward(batch.x)
    }
}

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    head: Head,
    #[checkpoint]
    attention: MultiHeadAttention,
}

#[remat::forward]
impl Block {
    fn forward(&self, batch: Batch) -> Tensor<3> {
        let x = self.head.forward(batch);
        let input = MhaInput::self_attn(x.clone());
        let x = self.attention.forward(input).context;
        // Not reported: the constructor moves into the checkpoint.
        self.attention.forward(MhaInput::self_attn(x)).context
    }
}

fn main() {}
