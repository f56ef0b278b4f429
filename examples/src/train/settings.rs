//! What the model and its training are made of.

use clap::{Args, ValueEnum};
use remat::amp;

use crate::gpt::Sizes;
use crate::options::{above_zero, check_heads, positive};

/// What attention and linear layers compute in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    /// As the parameters.
    F32,
    /// 16 bits.
    Bf16,
}

/// Sizes and settings.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// Transformer blocks
    #[arg(long, default_value_t = 6, value_parser = positive, value_name = "N")]
    pub layers: usize,

    /// Width of the model
    #[arg(long, default_value_t = 256, value_parser = positive, value_name = "N")]
    pub dim: usize,

    /// Attention heads in a block
    #[arg(long, default_value_t = 4, value_parser = positive, value_name = "N")]
    pub heads: usize,

    /// Characters in a sequence
    #[arg(long, default_value_t = 128, value_parser = positive, value_name = "N")]
    pub seq: usize,

    /// Sequences in a batch, of which each step is
    #[arg(long, default_value_t = 32, value_parser = positive, value_name = "N")]
    pub batch: usize,

    /// Micro-batches of a batch
    #[arg(long, default_value_t = 8, value_parser = positive, value_name = "N")]
    pub accumulate: usize,

    /// Blocks of a checkpoint
    #[arg(long, default_value_t = 2, value_parser = positive, value_name = "N")]
    pub every: usize,

    /// What attention and linear layers compute in
    #[arg(long, value_enum, default_value = "bf16")]
    pub precision: Precision,

    /// Steps of an epoch
    #[arg(long, default_value_t = 10, value_parser = positive, value_name = "N")]
    pub steps: usize,

    /// Epochs
    #[arg(long, default_value_t = 1, value_parser = positive, value_name = "N")]
    pub epochs: usize,

    /// Learning rate
    #[arg(long, default_value_t = 1e-3, value_parser = above_zero, allow_negative_numbers = true)]
    pub lr: f64,

    /// Largest norm of a step's gradient
    #[arg(long, default_value_t = 1.0, value_parser = above_zero, allow_negative_numbers = true, value_name = "NORM")]
    pub clip: f64,

    /// Seed of the parameters and the batches
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

impl Settings {
    /// Checks what no option can check alone.
    ///
    /// # Errors
    ///
    /// If the sizes do not fit together.
    pub fn check(&self) -> Result<(), String> {
        check_heads(self.dim, self.heads)?;
        let Self {
            batch, accumulate, ..
        } = self;
        if batch.is_multiple_of(*accumulate) {
            Ok(())
        } else {
            Err(format!(
                "--batch {batch} is not divisible by --accumulate {accumulate}: every micro-batch gets an equal part of it"
            ))
        }
    }

    pub(super) fn sizes(&self) -> Sizes {
        Sizes {
            layers: self.layers,
            dim: self.dim,
            heads: self.heads,
            seq: self.seq,
        }
    }
}

impl From<Precision> for amp::Precision {
    fn from(precision: Precision) -> Self {
        match precision {
            Precision::F32 => Self::F32,
            Precision::Bf16 => Self::BF16,
        }
    }
}
