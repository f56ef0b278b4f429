//! What the training is made of.

use clap::Args;

use crate::options::{learning_rate, positive};

/// Settings of the training.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// Passes over the digits
    #[arg(long, default_value_t = 8, value_parser = positive, value_name = "N")]
    pub epochs: usize,

    /// Digits in a batch
    #[arg(long, default_value_t = 64, value_parser = positive, value_name = "N")]
    pub batch_size: usize,

    /// Learning rate of the first step; it falls to 0
    #[arg(long, default_value_t = 3e-3, value_parser = learning_rate, allow_negative_numbers = true)]
    pub learning_rate: f64,

    /// Seed of the parameters, the order of the digits and the dropout masks
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

impl Settings {
    /// Steps over all epochs, with `digits` to train on.
    #[must_use]
    pub fn steps(&self, digits: usize) -> usize {
        self.epochs * digits.div_ceil(self.batch_size)
    }
}
