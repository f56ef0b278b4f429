//! What the loop may be told before it begins.

use super::errors::InvalidMaxNorm;
use super::save::Saves;
use super::{Accumulator, BatchNorms, Observer, StopSignal, TrainLoop};
use crate::amp::GradScaler;
use crate::train::accumulator::NoMicroBatches;
use burn::module::Module;
use std::path::PathBuf;

/// What becomes of the window that is open when an epoch ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastWindow {
    /// A step, normalised by what the window holds.
    #[default]
    Step,
    /// Nothing: its gradients are dropped.
    Drop,
}

impl<M: Module> TrainLoop<M> {
    /// Windows of so many micro-batches.
    ///
    /// # Errors
    ///
    /// If that is 0.
    pub fn accumulate(self, micro_batches: usize) -> Result<Self, NoMicroBatches> {
        Ok(self.accumulator(Accumulator::new(micro_batches)?))
    }

    /// An accumulator with options of its own, such as another size by epoch. Its loss scale is the loop's.
    #[must_use]
    pub fn accumulator(self, accumulator: Accumulator) -> Self {
        Self {
            accumulator,
            ..self
        }
    }

    /// Scales the losses, for layers in f16. Layers in bf16 need no scaler.
    #[must_use]
    pub fn amp(mut self, scaler: GradScaler) -> Self {
        self.stepper.scaler = Some(scaler);
        self
    }

    /// Clips the gradient of each window, unscaled: its norm over all parameters is at most this.
    ///
    /// # Errors
    ///
    /// If that is not above 0.
    pub fn clip_grad_norm(mut self, max_norm: f32) -> Result<Self, InvalidMaxNorm> {
        if max_norm > 0.0 {
            self.stepper.max_norm = Some(max_norm);
            Ok(self)
        } else {
            Err(InvalidMaxNorm(max_norm))
        }
    }

    /// What batch normalisations do in a window: they are left as they are, unless said otherwise.
    #[must_use]
    pub fn batch_norms(self, norms: BatchNorms<M>) -> Self {
        Self { norms, ..self }
    }

    /// What becomes of the window that is open when an epoch ends: a step, unless said otherwise.
    #[must_use]
    pub fn last_window(self, last_window: LastWindow) -> Self {
        Self {
            last_window,
            ..self
        }
    }

    /// What random numbers are counted from. Unless said, a seed that is drawn from the model's device when the first window
    /// begins; so `device.seed(s)` determines a run.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self {
            seed: Some(seed),
            ..self
        }
    }

    /// Somebody to tell how training goes: see [`observe`](crate::train::observe).
    #[must_use]
    pub fn observe(mut self, observer: impl Observer + 'static) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// Lets [`run`](Self::run) stop when somebody asks for it, once the window that is open has its step.
    #[must_use]
    pub fn stop_on(self, stop: StopSignal) -> Self {
        Self { stop, ..self }
    }

    /// Saves into this folder after every epoch, and when [`run`](Self::run) is [asked to stop](Self::stop_on). See
    /// [`save`](Self::save).
    #[must_use]
    pub fn save_in(mut self, folder: impl Into<PathBuf>) -> Self {
        self.saves = Some(Saves::new(folder.into()));
        self
    }

    /// Saves after every so many windows as well, if there is a [folder](Self::save_in).
    ///
    /// # Errors
    ///
    /// If that is 0.
    pub fn save_every(mut self, windows: usize) -> Result<Self, NoMicroBatches> {
        if windows == 0 {
            return Err(NoMicroBatches);
        }
        if let Some(saves) = &mut self.saves {
            saves.every = Some(windows);
        }
        Ok(self)
    }
}
