//! The model.

use burn::module::Module;
use burn::nn::attention::{
    MhaInput, MultiHeadAttention, MultiHeadAttentionConfig, generate_autoregressive_mask,
};
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::{
    Embedding, EmbeddingConfig, Gelu, Initializer, LayerNorm, LayerNormConfig, Linear, LinearConfig,
};
use burn::tensor::{Bool, Device, Int, Tensor};
use remat::Remat;

use super::Settings;
use super::text::numbers;

/// A character-level GPT.
#[derive(Module, Debug, Remat)]
pub struct Gpt {
    tokens: Embedding,
    positions: Embedding,
    #[checkpoint] // each keeps its input only, and runs again in the backward pass
    blocks: Vec<Block>,
    norm: LayerNorm,
    head: Linear,
}

/// A pre-norm transformer block.
#[derive(Module, Debug)]
pub struct Block {
    attention_norm: LayerNorm,
    attention: MultiHeadAttention,
    ffn_norm: LayerNorm,
    up: Linear,
    gelu: Gelu,
    down: Linear,
}

impl Gpt {
    /// A model with fresh parameters.
    #[must_use]
    pub fn new(settings: &Settings, vocabulary: usize, device: &Device) -> Self {
        let dim = settings.dim;
        // burn's default is for vectors of size 1, which drown what the blocks add to them.
        let embedding = |count| {
            EmbeddingConfig::new(count, dim).with_initializer(Initializer::Normal {
                mean: 0.0,
                std: 0.02,
            })
        };
        let blocks = (0..settings.layers).map(|_| Block::new(settings, device));
        Self {
            tokens: embedding(vocabulary).init(device),
            positions: embedding(settings.seq).init(device),
            blocks: blocks.collect(),
            norm: LayerNormConfig::new(dim).init(device),
            head: LinearConfig::new(dim, vocabulary).init(device),
        }
    }
}

#[remat::forward]
impl Gpt {
    /// Characters `[batch, seq]` to the scores `[batch, seq, vocabulary]` of those that follow.
    #[must_use]
    pub fn forward(&self, tokens: Tensor<2, Int>) -> Tensor<3> {
        let [batch, seq] = tokens.dims();
        let device = tokens.device();
        let positions = numbers(0..seq, [1, seq], &device);
        let mask = generate_autoregressive_mask(batch, seq, &device);

        let mut x = self.tokens.forward(tokens) + self.positions.forward(positions);
        for block in &self.blocks {
            x = block.forward(x, mask.clone());
        }
        self.head.forward(self.norm.forward(x))
    }

    /// The mean cross-entropy of the characters that follow.
    #[must_use]
    pub fn loss(&self, tokens: Tensor<2, Int>, targets: Tensor<2, Int>) -> Tensor<1> {
        let scores = self.forward(tokens).flatten::<2>(0, 1);
        let loss = CrossEntropyLossConfig::new().init(&scores.device());
        loss.forward(scores, targets.flatten::<1>(0, 1))
    }
}

impl Block {
    fn new(settings: &Settings, device: &Device) -> Self {
        let Settings { dim, heads, .. } = *settings;
        Self {
            attention_norm: LayerNormConfig::new(dim).init(device),
            attention: MultiHeadAttentionConfig::new(dim, heads)
                .with_dropout(0.0)
                .init(device),
            ffn_norm: LayerNormConfig::new(dim).init(device),
            up: LinearConfig::new(dim, 4 * dim).init(device),
            gelu: Gelu::new(),
            down: LinearConfig::new(4 * dim, dim).init(device),
        }
    }

    /// `[batch, seq, dim]` in and out; `mask` is true where attention may not look.
    #[must_use]
    pub fn forward(&self, x: Tensor<3>, mask: Tensor<3, Bool>) -> Tensor<3> {
        let h = self.attention_norm.forward(x.clone());
        let input = MhaInput::self_attn(h).mask_attn(mask);
        let x = x + self.attention.forward(input).context;

        let h = self.ffn_norm.forward(x.clone());
        let h = self.gelu.forward(self.up.forward(h));
        x + self.down.forward(h)
    }
}
