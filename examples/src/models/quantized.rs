//! As little as can be computed again, and what products need in few bits.

use burn::module::Module;
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::{Dropout, DropoutConfig, Gelu, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::{Device, Tensor};
use remat::Remat;

use super::Workload;

/// Blocks, one after the other, that keep `BITS` bits of an element.
#[derive(Module, Debug)]
pub struct Quantized<const BITS: u32> {
    blocks: Vec<QuantizedBlock<BITS>>,
}

impl<const BITS: u32> Quantized<BITS> {
    /// A stack with fresh parameters.
    #[must_use]
    pub fn new(workload: &Workload, device: &Device) -> Self {
        let blocks = (0..workload.layers).map(|_| QuantizedBlock::new(workload, device));
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

/// The same block as the others'. The output of a norm or of Gelu, which a product keeps, is computed again from an input
/// in few bits; so the input of each product is.
#[derive(Module, Debug, Remat)]
struct QuantizedBlock<const BITS: u32> {
    #[recompute(cheap, deterministic)]
    #[quantize(bits = BITS)]
    attention_norm: LayerNorm,
    #[recompute(attention)]
    #[quantize(bits = BITS)]
    attention: MultiHeadAttention,
    #[recompute(cheap, deterministic)]
    #[quantize(bits = BITS)]
    ffn_norm: LayerNorm,
    up: Linear,
    #[recompute(cheap, deterministic)]
    #[quantize(bits = BITS)]
    gelu: Gelu,
    down: Linear,
    dropout: Dropout,
}

impl<const BITS: u32> QuantizedBlock<BITS> {
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
impl<const BITS: u32> QuantizedBlock<BITS> {
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
