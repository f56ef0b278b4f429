//! The character model in a precision.

use burn::module::Module;
use burn::nn::attention::{
    MultiHeadAttention, MultiHeadAttentionConfig, generate_autoregressive_mask,
};
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::{
    Embedding, EmbeddingConfig, Gelu, Initializer, LayerNorm, LayerNormConfig, Linear, LinearConfig,
};
use burn::tensor::{Bool, Device, Int, Tensor};
use remat::amp::Precision;
use remat::nn::MhaInput;
use remat::{autocast, autocast_attention};

use super::Settings;
use crate::char_gpt::numbers;

/// A character-level GPT. Its residual stream is in f32, and so are norms, softmax and loss; attention and linear layers
/// compute in a precision.
#[derive(Module, Debug)]
pub struct Gpt {
    tokens: Embedding,
    positions: Embedding,
    blocks: Vec<Block>,
    norm: LayerNorm,
    head: Linear,
    #[module(skip)]
    precision: Precision,
}

/// A pre-norm transformer block.
#[derive(Module, Debug)]
struct Block {
    attention_norm: LayerNorm,
    attention: MultiHeadAttention,
    mlp_norm: LayerNorm,
    mlp: Mlp,
}

#[derive(Module, Debug)]
struct Mlp {
    up: Linear,
    gelu: Gelu,
    down: Linear,
}

impl Gpt {
    /// A model with fresh parameters.
    #[must_use]
    pub fn new(
        precision: Precision,
        settings: &Settings,
        vocabulary: usize,
        device: &Device,
    ) -> Self {
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
            precision,
        }
    }

    /// Characters `[batch, seq]` to the scores `[batch, seq, vocabulary]` of those that follow, in f32.
    #[must_use]
    pub fn forward(&self, tokens: Tensor<2, Int>) -> Tensor<3> {
        let [batch, seq] = tokens.dims();
        let device = tokens.device();
        let positions = numbers(0..seq, [1, seq], &device);
        let mask = generate_autoregressive_mask(batch, seq, &device);

        let x = self.tokens.forward(tokens) + self.positions.forward(positions);
        let blocks = self.blocks.iter();
        let x = blocks.fold(x, |x, block| block.forward(self.precision, x, mask.clone()));
        let x = self.norm.forward(x);
        autocast(self.precision, &self.head, (x,), |head, (x,)| {
            head.forward(x)
        })
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
        let attention = MultiHeadAttentionConfig::new(dim, heads).with_dropout(0.0);
        Self {
            attention_norm: LayerNormConfig::new(dim).init(device),
            attention: attention.init(device),
            mlp_norm: LayerNormConfig::new(dim).init(device),
            mlp: Mlp {
                up: LinearConfig::new(dim, 4 * dim).init(device),
                gelu: Gelu::new(),
                down: LinearConfig::new(4 * dim, dim).init(device),
            },
        }
    }

    /// `[batch, seq, dim]` in and out; `mask` is true where attention may not look.
    fn forward(&self, precision: Precision, x: Tensor<3>, mask: Tensor<3, Bool>) -> Tensor<3> {
        let h = self.attention_norm.forward(x.clone());
        let input = MhaInput::self_attn(h).mask_attn(mask);
        let x = x + autocast_attention(precision, &self.attention, input).context;

        let h = self.mlp_norm.forward(x.clone());
        x + autocast(precision, &self.mlp, (h,), |mlp, (h,)| mlp.forward(h))
    }
}

impl Mlp {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.down.forward(self.gelu.forward(self.up.forward(x)))
    }
}
