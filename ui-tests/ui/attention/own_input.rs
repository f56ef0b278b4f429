//! An input type of the user's that has the name of burn's: it may do something else.

use burn::module::Module;
use burn::nn::attention::MultiHeadAttention;
use burn::tensor::Tensor;
use remat::Remat;

struct MhaInput;

impl MhaInput {
    fn self_attn(x: Tensor<3>) -> burn::nn::attention::MhaInput {
        let mask = burn::nn::attention::generate_autoregressive_mask(1, 4, &x.device());
        burn::nn::attention::MhaInput::self_attn(x).mask_attn(mask)
    }
}

#[derive(Module, Debug, Remat)]
struct Block {
    #[recompute(attention)]
    attention: MultiHeadAttention,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.attention.forward(MhaInput::self_attn(x)).context
    }
}

fn main() {}
