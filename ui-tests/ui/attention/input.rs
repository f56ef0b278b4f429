//! The input of a layer with `#[recompute(attention)]` is written in its call.

use burn::module::Module;
use burn::nn::attention::{MhaInput, MultiHeadAttention};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[recompute(attention)]
    attention: MultiHeadAttention,
}

fn input(x: Tensor<3>) -> MhaInput {
    MhaInput::self_attn(x)
}

#[remat::forward]
impl Block {
    fn variable(&self, x: Tensor<3>) -> Tensor<3> {
        let input = MhaInput::self_attn(x);
        self.attention.forward(input).context
    }

    fn function(&self, x: Tensor<3>) -> Tensor<3> {
        self.attention.forward(input(x)).context
    }

    fn block(&self, x: Tensor<3>) -> Tensor<3> {
        self.attention.forward({ MhaInput::self_attn(x) }).context
    }

    fn alias(&self, x: Tensor<3>) -> Tensor<3> {
        use MhaInput as Input;
        self.attention.forward(Input::self_attn(x)).context
    }
}

fn main() {}
