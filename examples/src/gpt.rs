//! The character model, with strategies that are chosen when it is made: by hand, where annotations are chosen when it is
//! compiled.

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
use remat::{Checkpoint, Segments, autocast, autocast_attention, checkpoint_sequence_with};

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
    strategies: Strategies,
}

/// Sizes of the model.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Transformer blocks.
    pub layers: usize,
    /// Width.
    pub dim: usize,
    /// Attention heads in a block.
    pub heads: usize,
    /// Characters that it sees at once.
    pub seq: usize,
}

/// What it does to need less memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strategies {
    /// Of attention and linear layers.
    pub precision: Precision,
    /// Blocks of which only the first one's input is kept.
    pub checkpoint_every: Option<usize>,
}

/// A pre-norm transformer block.
#[derive(Module, Debug)]
struct Block {
    attention_norm: LayerNorm,
    attention: MultiHeadAttention,
    mlp_norm: LayerNorm,
    mlp: Mlp,
    #[module(skip)]
    precision: Precision,
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
    pub fn new(sizes: Sizes, strategies: Strategies, vocabulary: usize, device: &Device) -> Self {
        let dim = sizes.dim;
        // burn's default is for vectors of size 1, which drown what the blocks add to them.
        let embedding = |count| {
            EmbeddingConfig::new(count, dim).with_initializer(Initializer::Normal {
                mean: 0.0,
                std: 0.02,
            })
        };
        let blocks = (0..sizes.layers).map(|_| Block::new(sizes, strategies.precision, device));
        Self {
            tokens: embedding(vocabulary).init(device),
            positions: embedding(sizes.seq).init(device),
            blocks: blocks.collect(),
            norm: LayerNormConfig::new(dim).init(device),
            head: LinearConfig::new(dim, vocabulary).init(device),
            strategies,
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
        let x = self.norm.forward(self.through_blocks(x, mask));
        autocast(self.strategies.precision, &self.head, (x,), |head, (x,)| {
            head.forward(x)
        })
    }

    fn through_blocks(&self, x: Tensor<3>, mask: Tensor<3, Bool>) -> Tensor<3> {
        let Some(every) = self.strategies.checkpoint_every else {
            let blocks = self.blocks.iter();
            return blocks.fold(x, |x, block| block.forward(x, mask.clone()));
        };
        let options = Checkpoint::named("Gpt.blocks").segments(Segments::every(every));
        checkpoint_sequence_with(options, &self.blocks, x, (mask,), |_, block, x, (mask,)| {
            block.forward(x, mask)
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
    fn new(sizes: Sizes, precision: Precision, device: &Device) -> Self {
        let Sizes { dim, heads, .. } = sizes;
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
            precision,
        }
    }

    /// `[batch, seq, dim]` in and out; `mask` is true where attention may not look.
    fn forward(&self, x: Tensor<3>, mask: Tensor<3, Bool>) -> Tensor<3> {
        let h = self.attention_norm.forward(x.clone());
        let input = MhaInput::self_attn(h).mask_attn(mask);
        let x = x + autocast_attention(self.precision, &self.attention, input).context;

        let h = self.mlp_norm.forward(x.clone());
        x + autocast(self.precision, &self.mlp, (h,), |mlp, (h,)| mlp.forward(h))
    }
}

impl Mlp {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.down.forward(self.gelu.forward(self.up.forward(x)))
    }
}
