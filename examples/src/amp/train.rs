//! The training loop.

use std::time::Instant;

use burn::module::Module;
use burn::optim::{AdamWConfig, GradientsParams, ModuleOptimizer};
use burn::tensor::{Device, Tensor};
use remat::amp::{GradScaler, Overflow, Refused, Step};
use remat::memory::measure;

use super::Settings;
use crate::statistics::median;
use crate::table::in_mib;

/// Of so many steps at the end, the mean loss is the final one.
const LAST: usize = 10;

/// What a training came to.
#[derive(Clone, Debug)]
pub struct Trained {
    /// What a forward pass kept for its backward pass, the median of the steps, in MiB.
    pub retained_mib: Option<f64>,
    /// The mean loss of the last steps.
    pub loss: f64,
    /// Steps that were left out.
    pub skipped: usize,
    /// The scale at the end, where there is one.
    pub scale: Option<f32>,
    /// Seconds of a step, the median.
    pub seconds: Option<f64>,
}

/// What is known after a step.
pub struct Progress {
    /// Its loss.
    pub loss: f64,
    /// Why it was left out, if it was.
    pub overflow: Option<Overflow>,
}

/// Trains a model on batches: in the plain way, or with the scaler.
///
/// # Errors
///
/// If the scaler refuses the loss or the model.
pub fn train<M: Module, B>(
    mut model: M,
    loss: impl Fn(&M, B) -> Tensor<1>,
    batches: impl Iterator<Item = B>,
    settings: &Settings,
    mut scaler: Option<GradScaler>,
    device: &Device,
    mut report: impl FnMut(&Progress),
) -> Result<Trained, Refused> {
    let mut optimizer = AdamWConfig::new().init();
    let (mut losses, mut retained, mut seconds) = (vec![], vec![], vec![]);
    for (step, batch) in (1..=settings.steps).zip(batches) {
        let start = Instant::now();
        let (loss, forward) = measure(device, || loss(&model, batch));
        retained.extend(forward.retained().and_then(in_mib));
        losses.push(loss.clone().into_scalar::<f64>());

        let mut overflow = None;
        match &mut scaler {
            None => model = plain_step(&mut optimizer, settings.lr, model, &loss),
            Some(scaler) => {
                let loss = if settings.overflow_at == Some(step) {
                    loss * f32::INFINITY
                } else {
                    loss
                };
                let grads = scaler.backward(loss, &model)?;
                let taken;
                (model, taken) = scaler.step(&mut optimizer, settings.lr, model, grads);
                if let Step::Skipped(found) = taken {
                    overflow = Some(found);
                }
            }
        }
        seconds.push(start.elapsed().as_secs_f64());
        let loss = losses[step - 1];
        report(&Progress { loss, overflow });
    }
    let last = &losses[losses.len().saturating_sub(LAST)..];
    Ok(Trained {
        retained_mib: median(retained),
        loss: last.iter().sum::<f64>() / last.len() as f64,
        skipped: scaler.as_ref().map_or(0, GradScaler::overflows),
        scale: scaler.as_ref().map(GradScaler::scale),
        seconds: median(seconds),
    })
}

fn plain_step<M: Module>(
    optimizer: &mut ModuleOptimizer,
    rate: f64,
    model: M,
    loss: &Tensor<1>,
) -> M {
    let grads = GradientsParams::from_grads(loss.backward(), &model);
    optimizer.step(rate, model, grads)
}
