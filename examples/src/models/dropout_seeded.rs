//! Dropout whose masks are not kept, everywhere: also on the attention weights, so the attention is written by hand.

use burn::module::Module;
use burn::nn::{Gelu, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor};
use remat::nn::{Dropout, DropoutConfig};

use super::Workload;

/// Blocks, one after the other.
#[derive(Module, Debug)]
pub struct DropoutSeeded {
    blocks: Vec<Block>,
}

impl DropoutSeeded {
    /// A stack with fresh parameters.
    #[must_use]
    pub fn new(workload: &Workload, device: &Device) -> Self {
        let blocks = (0..workload.layers).map(|_| Block::new(workload, device));
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

/// The same block as the others', but for its dropout.
#[derive(Module, Debug)]
struct Block {
    attention_norm: LayerNorm,
    attention: Attention,
    ffn_norm: LayerNorm,
    up: Linear,
    gelu: Gelu,
    down: Linear,
    dropout: Dropout,
}

/// burn's `MultiHeadAttention`, but for its dropout.
#[derive(Module, Debug)]
struct Attention {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    dropout: Dropout,
    heads: usize,
}

impl Block {
    fn new(workload: &Workload, device: &Device) -> Self {
        let Workload { dim, dropout, .. } = *workload;
        Self {
            attention_norm: LayerNormConfig::new(dim).init(device),
            attention: Attention::new(workload, device),
            ffn_norm: LayerNormConfig::new(dim).init(device),
            up: LinearConfig::new(dim, 4 * dim).init(device),
            gelu: Gelu::new(),
            down: LinearConfig::new(4 * dim, dim).init(device),
            dropout: DropoutConfig::new(dropout).init(),
        }
    }

    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let h = self.attention_norm.forward(x.clone());
        let h = self.attention.forward(&h);
        let x = x + self.dropout.forward(h);

        let h = self.ffn_norm.forward(x.clone());
        let h = self.gelu.forward(self.up.forward(h));
        let h = self.down.forward(self.dropout.forward(h));
        x + self.dropout.forward(h)
    }
}

impl Attention {
    fn new(workload: &Workload, device: &Device) -> Self {
        let linear = || LinearConfig::new(workload.dim, workload.dim).init(device);
        Self {
            query: linear(),
            key: linear(),
            value: linear(),
            output: linear(),
            dropout: DropoutConfig::new(workload.dropout).init(),
            heads: workload.heads,
        }
    }

    fn forward(&self, x: &Tensor<3>) -> Tensor<3> {
        let [batch, seq, dim] = x.dims();
        let width = dim / self.heads;
        let heads = |linear: &Linear| {
            let y = linear.forward(x.clone());
            y.reshape([batch, seq, self.heads, width]).swap_dims(1, 2)
        };
        let scores = heads(&self.query).matmul(heads(&self.key).transpose());
        let weights = softmax(scores.div_scalar((width as f32).sqrt()), 3);
        let context = self.dropout.forward(weights).matmul(heads(&self.value));
        self.output
            .forward(context.swap_dims(1, 2).reshape([batch, seq, dim]))
    }
}
