//! The models under measurement: the same stack of blocks, once for each strategy; and two other networks, whose
//! strategies are compared with their own plain model.
//!
//! Each is an ordinary burn module in a file of its own; what is measured is what its fields say.

mod bf16;
mod bf16_checkpoint;
mod bf16_recompute;
mod block;
mod checkpoint;
mod checkpoint_quantized;
mod dropout_seeded;
mod early_stop;
mod every2;
mod f16_scaled;
mod mlp;
mod mlp_inplace;
mod model;
mod plain;
mod quantized;
mod recompute_attention;
mod recompute_cheap;
mod recompute_checkpoint;
mod resnet;
mod resnet_inplace;
mod sequence_recursive;
mod sqrt;
mod strategies;

use clap::Args;

pub use bf16::Bf16;
pub use bf16_checkpoint::Bf16Checkpoint;
pub use bf16_recompute::Bf16Recompute;
pub use block::Block;
pub use checkpoint::Checkpoint;
pub use checkpoint_quantized::CheckpointQuantized;
pub use dropout_seeded::DropoutSeeded;
pub use early_stop::EarlyStop;
pub use every2::Every2;
pub use f16_scaled::F16Scaled;
pub use mlp::Mlp;
pub use mlp_inplace::MlpInplace;
pub use model::Model;
pub use plain::Plain;
pub use quantized::Quantized;
pub use recompute_attention::RecomputeAttention;
pub use recompute_cheap::RecomputeCheap;
pub use recompute_checkpoint::RecomputeCheckpoint;
pub use resnet::Resnet;
pub use resnet_inplace::ResnetInplace;
pub use sequence_recursive::SequenceRecursive;
pub use sqrt::Sqrt;
pub use strategies::{STRATEGIES, Strategy, TRANSFORMER, strategy};

use crate::options::{check_heads, positive, probability};

/// Sizes of the stack and of its input.
#[derive(Args, Clone, Debug)]
pub struct Workload {
    /// Transformer blocks in the stack
    #[arg(long, default_value_t = 6, value_parser = positive, value_name = "N")]
    pub layers: usize,

    /// Width of the stack
    #[arg(long, default_value_t = 256, value_parser = positive, value_name = "N")]
    pub dim: usize,

    /// Attention heads in a block
    #[arg(long, default_value_t = 4, value_parser = positive, value_name = "N")]
    pub heads: usize,

    /// Sequences in a batch
    #[arg(long, default_value_t = 8, value_parser = positive, value_name = "N")]
    pub batch: usize,

    /// Vectors in a sequence
    #[arg(long, default_value_t = 128, value_parser = positive, value_name = "N")]
    pub seq: usize,

    /// Probability of dropout. Above 0 the strategies draw other masks than plain burn does: their loss and
    /// gradients are then equal in distribution only. The rows about dropout have 0.1 in place of 0
    #[arg(
        long,
        default_value_t = 0.0,
        value_parser = probability,
        value_name = "P",
        allow_negative_numbers = true
    )]
    pub dropout: f64,
}

impl Workload {
    /// Of the input.
    pub(crate) fn shape(&self) -> [usize; 3] {
        [self.batch, self.seq, self.dim]
    }

    /// The same with dropout.
    #[must_use]
    pub(crate) fn with_dropout(&self) -> Self {
        let dropout = if self.dropout > 0.0 {
            self.dropout
        } else {
            0.1
        };
        Self {
            dropout,
            ..self.clone()
        }
    }

    /// Checks what no option can check alone.
    ///
    /// # Errors
    ///
    /// If the sizes do not fit together.
    pub fn check(&self) -> Result<(), String> {
        check_heads(self.dim, self.heads)
    }
}
