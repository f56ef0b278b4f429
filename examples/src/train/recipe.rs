//! Which strategies a training has.

use remat::amp::Precision;

use super::Settings;
use crate::gpt::Strategies;

/// Which of the three strategies a training has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Its name in tables.
    pub name: &'static str,
    accumulates: bool,
    checkpoints: bool,
    low: bool,
}

impl Recipe {
    /// None: plain burn on whole batches.
    pub const PLAIN: Self = Self {
        name: "plain",
        accumulates: false,
        checkpoints: false,
        low: false,
    };
    /// Batches in micro-batches.
    pub const ACCUMULATE: Self = Self {
        name: "accumulate",
        accumulates: true,
        ..Self::PLAIN
    };
    /// Blocks that run again.
    pub const CHECKPOINT: Self = Self {
        name: "checkpoint",
        checkpoints: true,
        ..Self::PLAIN
    };
    /// Layers in 16 bits, unless the settings say otherwise.
    pub const AMP: Self = Self {
        name: "amp",
        low: true,
        ..Self::PLAIN
    };
    /// All three.
    pub const ALL: Self = Self {
        name: "all",
        accumulates: true,
        checkpoints: true,
        low: true,
    };

    /// In the order of tables.
    pub const EACH: [Self; 5] = [
        Self::PLAIN,
        Self::ACCUMULATE,
        Self::CHECKPOINT,
        Self::AMP,
        Self::ALL,
    ];

    /// Micro-batches of a batch.
    #[must_use]
    pub fn micro_batches(self, settings: &Settings) -> usize {
        if self.accumulates {
            settings.accumulate
        } else {
            1
        }
    }

    /// Of the model.
    #[must_use]
    pub fn strategies(self, settings: &Settings) -> Strategies {
        let precision = if self.low {
            settings.precision.into()
        } else {
            Precision::F32
        };
        Strategies {
            precision,
            checkpoint_every: self.checkpoints.then_some(settings.every),
        }
    }
}
