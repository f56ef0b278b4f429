//! The training loop, which measures every step.

use std::time::Instant;

use burn::grad_clipping::GradientClippingConfig;
use burn::optim::{AdamWConfig, GradientsParams};
use burn::tensor::Device;
use remat::memory::{live_bytes, measure};

use super::{Batches, Gpt, Settings, Text};
use crate::statistics::median;
use crate::table::in_mib;

/// Of the gradient of a parameter.
const LARGEST_NORM: f32 = 1.0;

/// A trained model and what its training took.
pub struct Trained {
    /// The model.
    pub model: Gpt,
    /// The loss of every step.
    pub losses: Vec<f32>,
    /// What a forward pass kept for its backward pass, the median of the steps, in MiB.
    pub retained_mib: Option<f64>,
    /// The most that was live during a step, minus what was before it, the median of the steps, in
    /// MiB.
    pub peak_mib: Option<f64>,
    /// Seconds of a step, the median.
    pub seconds: Option<f64>,
}

/// What is known after a step.
pub struct Progress {
    /// The step's loss.
    pub loss: f32,
    /// Live bytes of the program between the forward and the backward pass.
    pub live: Option<usize>,
}

/// Trains `model`, which must be on a device with autodiff, and reports after every step.
pub fn train(
    mut model: Gpt,
    settings: &Settings,
    text: &Text,
    device: &Device,
    mut report: impl FnMut(Progress),
) -> Trained {
    let mut optimizer = AdamWConfig::new()
        .with_grad_clipping(Some(GradientClippingConfig::Norm(LARGEST_NORM)))
        .init();
    let mut batches = Batches::new(text, settings.batch, settings.seq, settings.seed);
    let (mut losses, mut retained, mut peaks, mut seconds) = (vec![], vec![], vec![], vec![]);

    for _ in 0..settings.steps {
        let (tokens, targets) = batches.next(device);
        let mut live = None;
        let start = Instant::now();
        let ((trained, loss), step) = measure(device, || {
            let (loss, forward) = measure(device, || model.loss(tokens, targets));
            retained.extend(forward.retained().and_then(in_mib));
            live = live_bytes();

            let gradients = GradientsParams::from_grads(loss.backward(), &model);
            let model = optimizer.step(settings.lr, model, gradients);
            (model, loss.into_scalar())
        });
        model = trained;
        losses.push(loss);
        seconds.push(start.elapsed().as_secs_f64());
        peaks.extend(step.peak().and_then(in_mib));
        report(Progress { loss, live });
    }

    Trained {
        model,
        losses,
        retained_mib: median(retained),
        peak_mib: median(peaks),
        seconds: median(seconds),
    }
}
