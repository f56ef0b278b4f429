//! What is known at the end of a window.

use super::Position;
use crate::train::accumulator::Dropped;
use std::time::Duration;

/// A window that has ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Update {
    /// Where training is now.
    pub position: Position,
    /// The window's loss: the weighted mean of its micro-batches' losses. NaN if all were left out.
    pub loss: f64,
    /// Micro-batches with a loss.
    pub micro_batches: usize,
    /// Micro-batches that were [left out](crate::train::accumulator::NonFinite::LeaveOut), of those.
    pub left_out: usize,
    /// The sum of their weights: samples or tokens.
    pub weight: f64,
    /// Whether there was a step.
    pub outcome: Outcome,
    /// The loss scale that the window had, if there is a scaler.
    pub scale: Option<f32>,
    /// From the beginning of its first micro-batch to the end of its step.
    pub time: Duration,
    /// Live bytes after the step: of the device's memory pool, or of the program if its allocator is
    /// [`Tracking`](crate::memory::Tracking).
    pub live_bytes: Option<usize>,
    /// The most live bytes of the program in the window. A memory pool knows none.
    pub peak_bytes: Option<usize>,
}

/// What became of a window.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A step.
    Taken {
        /// Its learning rate; where parameter groups have their own, the first one's.
        rate: f64,
        /// The norm of the gradient before it was clipped, if it is.
        norm: Option<f32>,
    },
    /// No step: parameters, optimizer and schedule are as they were. Batch normalisations that are
    /// [as is](crate::train::BatchNorms::as_is) have seen it, also what was infinite or NaN in it: those that are
    /// [accumulated](crate::train::BatchNorms::accumulated) have not.
    Skipped(Dropped),
}

impl Outcome {
    /// Whether there was a step.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::Taken { .. })
    }
}

impl Update {
    /// What is trained on in a second, in the unit of the weights.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        self.weight / self.time.as_secs_f64()
    }
}
