//! Products and activations are in f16, norms and softmax in f32, as are the parameters; the backward pass starts from a
//! scale.

use burn::module::Module;
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::{Dropout, DropoutConfig, Gelu, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::{Device, Tensor};
use remat::Remat;

use super::Workload;

/// Blocks, one after the other.
#[derive(Module, Debug)]
pub struct F16Scaled {
    blocks: Vec<F16Block>,
}

impl F16Scaled {
    /// A stack with fresh parameters.
    #[must_use]
    pub fn new(workload: &Workload, device: &Device) -> Self {
        let blocks = (0..workload.layers).map(|_| F16Block::new(workload, device));
        Self {
            blocks: blocks.collect(),
        }
    }

    /// `[batch, seq, dim]` in and out.
    #[must_use]
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.blocks.iter().fold(x, |x, block| block.forward(x))
    }
}

/// The same block as the others', with its products in f16.
#[derive(Module, Debug, Remat)]
#[autocast(f16)]
struct F16Block {
    attention_norm: LayerNorm,
    attention: MultiHeadAttention,
    ffn_norm: LayerNorm,
    up: Linear,
    gelu: Gelu,
    down: Linear,
    dropout: Dropout,
}

impl F16Block {
    fn new(workload: &Workload, device: &Device) -> Self {
        let Workload {
            dim,
            heads,
            dropout,
            ..
        } = *workload;
        Self {
            attention_norm: LayerNormConfig::new(dim).init(device),
            attention: MultiHeadAttentionConfig::new(dim, heads)
                .with_dropout(dropout)
                .init(device),
            ffn_norm: LayerNormConfig::new(dim).init(device),
            up: LinearConfig::new(dim, 4 * dim).init(device),
            gelu: Gelu::new(),
            down: LinearConfig::new(4 * dim, dim).init(device),
            dropout: DropoutConfig::new(dropout).init(),
        }
    }
}

#[remat::forward]
impl F16Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let h = self.attention_norm.forward(x.clone());
        let h = self.attention.forward(MhaInput::self_attn(h)).context;
        let x = x + self.dropout.forward(h);

        let h = self.ffn_norm.forward(x.clone());
        let h = self.gelu.forward(self.up.forward(h));
        let h = self.down.forward(self.dropout.forward(h));
        x + self.dropout.forward(h)
    }
}
