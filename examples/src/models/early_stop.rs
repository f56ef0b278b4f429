//! `checkpoint`, but the last product of a block is not computed again: nobody reads it.

use burn::module::Module;
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::{Dropout, DropoutConfig, Gelu, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::{Device, Tensor};
use remat::Remat;

use super::Workload;

/// Blocks, one after the other.
#[derive(Module, Debug, Remat)]
pub struct EarlyStop {
    #[checkpoint(early_stop)]
    blocks: Vec<TailBlock>,
}

impl EarlyStop {
    /// A stack with fresh parameters.
    #[must_use]
    pub fn new(workload: &Workload, device: &Device) -> Self {
        let blocks = (0..workload.layers).map(|_| TailBlock::new(workload, device));
        Self {
            blocks: blocks.collect(),
        }
    }
}

#[remat::forward]
impl EarlyStop {
    /// `[batch, seq, dim]` in and out.
    #[must_use]
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let mut x = x;
        for block in &self.blocks {
            x = block.forward(x);
        }
        x
    }
}

/// The same block as the others', with its last layer marked.
#[derive(Module, Debug, Remat)]
struct TailBlock {
    attention_norm: LayerNorm,
    attention: MultiHeadAttention,
    ffn_norm: LayerNorm,
    up: Linear,
    gelu: Gelu,
    #[remat(tail)]
    down: Linear,
    dropout: Dropout,
}

impl TailBlock {
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
impl TailBlock {
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
