//! From a window to the next model.

use super::tied::tied;
use super::update::Outcome;
use crate::amp::GradScaler;
use crate::train::accumulator::{Dropped, Window};
use crate::train::clip::{clip_grad_value, clip_to_norm};
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

    /// Takes the window's step, unless something in it is not finite. Tells its loss.
    pub(super) fn step<M: Module>(&mut self, model: M, window: Window) -> (M, f64, Outcome) {
        let end = window.end(&model, matches!(self.clip, Some(Clip::Norm(_))));
        let clipped = self
            .noted(end.gradients)
            .and_then(|grads| self.clipped(grads, end.norm, &model));
        match clipped {
            Ok(grads) => {
                let rate = self.schedule.step();
                let taken = Outcome::Taken {
                    rate: rate.base(),
                    norm: end.norm,
                };
                let model = self.optimizer.step(rate, model, grads);
                (tied(model), end.loss, taken)
            }
            Err(dropped) => (model, end.loss, Outcome::Skipped(dropped)),
        }
    }

    /// Tells the scaler.
    fn noted(
        &mut self,
        gradients: Result<GradientsParams, Dropped>,
    ) -> Result<GradientsParams, Dropped> {
        let Some(scaler) = &mut self.scaler else {
            return gradients;
        };
        let gradients = match gradients {
            Ok(grads) => scaler.note(Ok(grads)),
            Err(Dropped::Gradient(overflow)) => scaler.note(Err(overflow)),
            Err(dropped) => {
                // What overflows in the forward pass would have overflowed in the backward pass.
                scaler.update_with(true);
                return Err(dropped);
            }
        };
        scaler.update();
        Ok(gradients?)
    }

    fn clipped<M: Module>(
        &self,
        mut grads: GradientsParams,
        norm: Option<f32>,
        model: &M,
    ) -> Result<GradientsParams, Dropped> {
        if grads.is_empty() {
            return Err(Dropped::NoGradients);
        }
        match (self.clip, norm) {
            (_, Some(norm)) if !norm.is_finite() => return Err(Dropped::Norm),
            (Some(Clip::Norm(max_norm)), Some(norm)) => {
                clip_to_norm(&mut grads, model, norm, max_norm);
            }
            (Some(Clip::Value(limit)), _) => clip_grad_value(&mut grads, model, limit),
            _ => {}
        }
        Ok(grads)
    }
}

#[cfg(test)]
mod tests {
    use crate::amp::GradScaler;
    use crate::reads::count;
    use crate::train::{MicroBatch, TrainLoop};
    use burn::nn::{Linear, LinearConfig};
    use burn::optim::AdamWConfig;
    use burn::tensor::{Device, Tensor};

    /// However many parameters and micro-batches there are, and whatever is wanted to be known of them.
    #[test]
    fn a_window_ends_with_one_read() {
        let device = Device::flex().autodiff();
        for (layers, size) in [(1, 1), (8, 3)] {
            let layers = (0..layers).map(|_| LinearConfig::new(2, 2).init(&device));
            let model: Vec<Linear> = layers.collect();
            let mut training = TrainLoop::new(model, AdamWConfig::new().init(), 0.1)
                .accumulate(size)
                .unwrap()
                .clip_grad_norm(1.0)
                .unwrap()
                .amp(GradScaler::default());
            let forward = |model: &Vec<Linear>| {
                let x = Tensor::<2>::ones([3, 2], &device);
                let y = model.iter().fold(x, |x, layer| layer.forward(x));
                MicroBatch::new(y.square().mean(), 3)
            };
            let windows = count::of(|| {
                for _ in 0..2 * size {
                    training.micro_batch(forward).unwrap();
                }
            });
            assert_eq!(windows, 2);
            assert_eq!(training.position().windows - training.position().skipped, 2);
        }
    }
}
