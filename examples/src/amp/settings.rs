//! What the trainings are made of.

use clap::{Args, ValueEnum};
use remat::amp::{GradScaler, GradScalerConfig, InvalidScaler, Precision};

use crate::options::{above_zero, check_heads, positive};

/// What is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Task {
    /// A convolutional network on handwritten digits.
    Digits,
    /// A character-level language model.
    Characters,
}

/// How it is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Recipe {
    /// Plain burn.
    F32,
    /// Layers in bf16.
    Bf16,
    /// Layers in f16, with a scaled loss.
    F16,
}

impl Recipe {
    /// What its layers compute in.
    #[must_use]
    pub fn precision(self) -> Precision {
        match self {
            Self::F32 => Precision::F32,
            Self::Bf16 => Precision::BF16,
            Self::F16 => Precision::F16,
        }
    }
}

/// Sizes and settings.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// Steps of each training
    #[arg(long, default_value_t = 100, value_parser = positive, value_name = "N")]
    pub steps: usize,

    /// Digits in a batch
    #[arg(long, default_value_t = 64, value_parser = positive, value_name = "N")]
    pub digits: usize,

    /// Sequences in a batch of characters
    #[arg(long, default_value_t = 4, value_parser = positive, value_name = "N")]
    pub batch: usize,

    /// Characters in a sequence
    #[arg(long, default_value_t = 64, value_parser = positive, value_name = "N")]
    pub seq: usize,

    /// Transformer blocks of the character model
    #[arg(long, default_value_t = 4, value_parser = positive, value_name = "N")]
    pub layers: usize,

    /// Width of the character model
    #[arg(long, default_value_t = 64, value_parser = positive, value_name = "N")]
    pub dim: usize,

    /// Attention heads in a block
    #[arg(long, default_value_t = 4, value_parser = positive, value_name = "N")]
    pub heads: usize,

    /// Learning rate
    #[arg(long, default_value_t = 3e-3, value_parser = above_zero, allow_negative_numbers = true)]
    pub lr: f64,

    /// Seed of the parameters and the batches
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

    /// First scale of the loss in f16
    #[arg(
        long,
        default_value_t = 65536.0,
        value_name = "SCALE",
        allow_negative_numbers = true
    )]
    pub init_scale: f32,

    /// Steps without an overflow until the scale doubles
    #[arg(long, default_value_t = 25, value_parser = positive, value_name = "N")]
    pub growth_interval: usize,

    /// Let the gradients of this step be infinite where the loss is scaled, counted from 1
    #[arg(long, value_parser = positive, value_name = "N")]
    pub overflow_at: Option<usize>,
}

impl Settings {
    /// Checks what no option can check alone.
    ///
    /// # Errors
    ///
    /// If the sizes do not fit together, or there can be no such scaler.
    pub fn check(&self) -> Result<(), String> {
        check_heads(self.dim, self.heads)?;
        self.scaler().map_err(|error| error.to_string())?;
        Ok(())
    }

    /// The scaler of a training in f16.
    ///
    /// # Errors
    ///
    /// If there can be none with these settings.
    pub fn scaler(&self) -> Result<GradScaler, InvalidScaler> {
        GradScalerConfig::new()
            .with_init_scale(self.init_scale)
            .with_growth_interval(self.growth_interval)
            .init()
    }
}
