//! One transformer block, in plain burn.

use burn::module::Module;
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::{Dropout, DropoutConfig, Gelu, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::{Device, Tensor};

use super::Workload;

/// A pre-norm transformer block: self-attention, then a feed-forward layer of four times the width.
#[derive(Module, Debug)]
pub struct Block {
    attention_norm: LayerNorm,
    attention: MultiHeadAttention,
    ffn_norm: LayerNorm,
    up: Linear,
    gelu: Gelu,
    down: Linear,
    dropout: Dropout,
}

impl Block {
    /// A block with fresh parameters.
    #[must_use]
    pub fn new(workload: &Workload, device: &Device) -> Self {
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

    /// `[batch, seq, dim]` in and out.
    #[must_use]
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let h = self.attention_norm.forward(x.clone());
        let h = self.attention.forward(MhaInput::self_attn(h)).context;
        let x = x + self.dropout.forward(h);

        let h = self.ffn_norm.forward(x.clone());
        let h = self.gelu.forward(self.up.forward(h));
        let h = self.down.forward(self.dropout.forward(h));
        x + self.dropout.forward(h)
    }
}
