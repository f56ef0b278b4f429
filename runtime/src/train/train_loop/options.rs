//! What the loop may be told before it begins.

use super::errors::{InvalidInterval, InvalidLimit};
use super::stepper::Clip;
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

    /// An accumulator with options of its own, such as another size by epoch. Its loss scale and its epoch are the loop's; a
    /// window that it has open is dropped.
    #[must_use]
    pub fn accumulator(self, accumulator: Accumulator) -> Self {
        Self {
            accumulator,
            ..self
        }
        .without_window()
    }

    /// Scales the losses, for layers in f16. Layers in bf16 need no scaler.
    #[must_use]
    pub fn amp(mut self, scaler: GradScaler) -> Self {
        self.stepper.scaler = Some(scaler);
        self
    }

    /// Clips the gradient of each window, unscaled: its norm over all parameters is at most this. Infinity clips nothing,
    /// and tells the norm. Instead of [`clip_grad_value`](Self::clip_grad_value), whichever is said last.
    ///
    /// # Errors
    ///
    /// If that is not above 0.
    pub fn clip_grad_norm(self, max_norm: f32) -> Result<Self, InvalidLimit> {
        self.clip(Clip::Norm, max_norm)
    }

    /// Limits every element of the gradient of each window, unscaled, to `-limit..=limit`.
    ///
    /// ```
    /// # use burn::{nn::LinearConfig, optim::SgdConfig, tensor::Device};
    /// # use remat::train::TrainLoop;
    /// # let device = Device::flex().autodiff();
    /// # let model = LinearConfig::new(2, 1).init(&device);
    /// let training = TrainLoop::new(model, SgdConfig::new().init(), 0.1).clip_grad_value(0.5)?;
    /// # let _ = training;
    /// # Ok::<(), remat::train::InvalidLimit>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If that is not above 0.
    pub fn clip_grad_value(self, limit: f32) -> Result<Self, InvalidLimit> {
        self.clip(Clip::Value, limit)
    }

    fn clip(mut self, to: fn(f32) -> Clip, limit: f32) -> Result<Self, InvalidLimit> {
        if limit > 0.0 {
            self.stepper.clip = Some(to(limit));
            Ok(self)
        } else {
            Err(InvalidLimit(limit))
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
        self.saves.folder = Some(folder.into());
        self
    }

    /// Saves after every so many windows as well. There has to be a [folder](Self::save_in) when training begins.
    ///
    /// # Errors
    ///
    /// If that is 0.
    pub fn save_every(mut self, windows: usize) -> Result<Self, InvalidInterval> {
        if windows == 0 {
            return Err(InvalidInterval);
        }
        self.saves.every = Some(windows);
        Ok(self)
    }
}
