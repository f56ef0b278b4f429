//! What the model and its training are made of.

use clap::Args;

use crate::options::{above_zero, check_heads, positive};

/// Sizes of the model and settings of its training.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// Transformer blocks
    #[arg(long, default_value_t = 8, value_parser = positive, value_name = "N")]
    pub layers: usize,

    /// Width of the model
    #[arg(long, default_value_t = 96, value_parser = positive, value_name = "N")]
    pub dim: usize,

    /// Attention heads in a block
    #[arg(long, default_value_t = 4, value_parser = positive, value_name = "N")]
    pub heads: usize,

    /// Sequences in a batch
    #[arg(long, default_value_t = 4, value_parser = positive, value_name = "N")]
    pub batch: usize,

    /// Characters in a sequence, all that the model sees at once
    #[arg(long, default_value_t = 128, value_parser = positive, value_name = "N")]
    pub seq: usize,

    /// Training steps
    #[arg(long, default_value_t = 200, value_parser = positive, value_name = "N")]
    pub steps: usize,

    /// Learning rate
    #[arg(long, default_value_t = 1e-3, value_parser = above_zero, allow_negative_numbers = true)]
    pub lr: f64,

    /// Seed of the parameters, the batches and the generated text
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
        check_heads(self.dim, self.heads)
    }

    /// The same for a few steps that nobody measures.
    #[must_use]
    pub fn warm_up(&self) -> Self {
        Self {
            steps: self.steps.min(3),
            ..self.clone()
        }
    }
}
