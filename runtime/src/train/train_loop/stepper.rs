//! From a window to the next model.

use super::tied::tied;
use super::update::Outcome;
use crate::amp::GradScaler;
use crate::train::accumulator::{Dropped, Window};
use crate::train::{clip_grad_norm, clip_grad_value};
use burn::lr_scheduler::module_lr_scheduler::ModuleLrScheduler;
use burn::module::Module;
use burn::optim::{GradientsParams, ModuleOptimizer};

/// How gradients are clipped.
#[derive(Clone, Copy)]
pub(super) enum Clip {
    Norm(f32),
    Value(f32),
}

pub(super) struct Stepper {
    pub(super) optimizer: ModuleOptimizer,
    pub(super) schedule: ModuleLrScheduler,
    pub(super) scaler: Option<GradScaler>,
    pub(super) clip: Option<Clip>,
}

impl Stepper {
    pub(super) fn new(optimizer: ModuleOptimizer, schedule: ModuleLrScheduler) -> Self {
        Self {
            optimizer,
            schedule,
            scaler: None,
            clip: None,
        }
    }

    /// The loss scale of the next window.
    pub(super) fn scale(&self) -> Option<f32> {
        self.scaler.as_ref().map(GradScaler::scale)
    }

    /// Takes the window's step, unless something in it is not finite.
    pub(super) fn step<M: Module>(&mut self, model: M, window: Window) -> (M, Outcome) {
        let clipped = self
            .gradients(window, &model)
            .and_then(|grads| self.clipped(grads, &model));
        match clipped {
            Ok((grads, norm)) => {
                let rate = self.schedule.step();
                let base = rate.base();
                let model = self.optimizer.step(rate, model, grads);
                (tied(model), Outcome::Taken { rate: base, norm })
            }
            Err(dropped) => (model, Outcome::Skipped(dropped)),
        }
    }

    fn gradients<M: Module>(
        &mut self,
        window: Window,
        model: &M,
    ) -> Result<GradientsParams, Dropped> {
        let Some(scaler) = &mut self.scaler else {
            return window.mean(model);
        };
        if let Err(dropped) = window.check_losses() {
            // What overflows in the forward pass would have overflowed in the backward pass.
            scaler.update_with(true);
            return Err(dropped);
        }
        let grads = scaler.unscale(window.into_scaled(), model);
        scaler.update();
        Ok(grads?)
    }

    fn clipped<M: Module>(
        &self,
        mut grads: GradientsParams,
        model: &M,
    ) -> Result<(GradientsParams, Option<f32>), Dropped> {
        if grads.is_empty() {
            return Err(Dropped::NoGradients);
        }
        let norm = match self.clip {
            Some(Clip::Norm(max_norm)) => Some(clip_grad_norm(&mut grads, model, max_norm)),
            Some(Clip::Value(limit)) => {
                clip_grad_value(&mut grads, model, limit);
                None
            }
            None => None,
        };
        match norm {
            Some(norm) if !norm.is_finite() => Err(Dropped::Norm),
            norm => Ok((grads, norm)),
        }
    }
}
