//! What only rustc knows: types behind an alias, builders that burn does not have, a missing import.

use burn::module::Module;
use burn::nn::Linear;
use burn::nn::attention::MultiHeadAttention;
use burn::tensor::Tensor;
use remat::Remat;

type Alias = Linear;

#[derive(Module, Debug, Remat)]
struct Block {
    #[recompute(attention)]
    attention: MultiHeadAttention,
    #[recompute(attention)]
    linear: Alias,
}

#[remat::forward]
impl Block {
    fn not_imported(&self, x: Tensor<3>) -> Tensor<3> {
        self.attention.forward(MhaInput::self_attn(x)).context
    }

    fn builder(&self, x: Tensor<3>) -> Tensor<3> {
        use burn::nn::attention::MhaInput;
        self.attention.forward(MhaInput::self_attn(x).causal()).context
    }

    fn borrowed(&self, x: Tensor<3>) -> Tensor<3> {
        use burn::nn::attention::MhaInput;
        self.attention.forward(MhaInput::self_attn(&x)).context
    }

    fn other_layer(&self, x: Tensor<3>) -> Tensor<3> {
        use burn::nn::attention::MhaInput;
        self.linear.forward(MhaInput::self_attn(x)).context
    }
}

fn main() {}
