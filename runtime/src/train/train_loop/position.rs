//! Where training is.

use burn::serde::{Deserialize, Serialize};

/// Where training is, between two windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(crate = "burn::serde")]
pub struct Position {
    /// The epoch; the first is 0.
    pub epoch: usize,
    /// Micro-batches of this epoch, those without a loss included.
    pub micro_batches: usize,
    /// Windows, from the beginning of the training.
    pub windows: usize,
    /// Windows without a step, of those.
    pub skipped: usize,
}

impl Position {
    pub(super) fn next_epoch(&mut self) {
        self.epoch += 1;
        self.micro_batches = 0;
    }

    pub(super) fn next_window(&mut self, taken: bool) {
        self.windows += 1;
        self.skipped += usize::from(!taken);
    }
}
