//! Calls of a layer with `#[recompute(attention)]` that are not its plain `forward`.

use burn::module::Module;
use burn::nn::attention::{MhaCache, MhaInput, MhaOutput, MultiHeadAttention};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[recompute(attention)]
    attention: MultiHeadAttention,
}

#[remat::forward]
impl Block {
    fn cached(&self, x: Tensor<3>, cache: &mut MhaCache) -> MhaOutput {
        self.attention.forward_cache(MhaInput::self_attn(x), cache)
    }

    fn two(&self, x: Tensor<3>) -> MhaOutput {
        self.attention.forward(MhaInput::self_attn(x.clone()), x)
    }

    fn part(&self, x: Tensor<3>) -> Tensor<3> {
        self.attention.query.forward(x)
    }
}

fn main() {}
