//! The training loop, which measures every step.

use std::time::Instant;

use burn::grad_clipping::GradientClippingConfig;
use burn::optim::{AdamWConfig, GradientsParams};
use burn::tensor::Device;
use remat::memory::{live_bytes, measure};

use super::{Batches, Gpt, Settings, Text};
use crate::statistics::median;

/// A trained model and what its training took.
pub struct Trained {
    /// The model.
    pub model: Gpt,
    /// The loss of every step.
    pub losses: Vec<f32>,
    /// Bytes that a forward pass left for its backward pass, the median of the steps.
    pub retained: Option<f64>,
    /// The most bytes that a step needed above those before it, the median of the steps.
    pub peak: Option<f64>,
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
        .with_grad_clipping(Some(GradientClippingConfig::Norm(settings.clip as f32)))
        .init();
    let mut batches = Batches::new(text, settings.batch, settings.seq, settings.seed);
    let (mut losses, mut retained, mut peaks, mut seconds) = (vec![], vec![], vec![], vec![]);

    for _ in 0..settings.steps {
        let (tokens, targets) = batches.next(device);
        let mut live = None;
        let start = Instant::now();
        let (trained, step) = measure(device, || {
            let (loss, forward) = measure(device, || model.loss(tokens, targets));
            retained.extend(forward.retained().map(|bytes| bytes as f64));
            live = live_bytes();

            let gradients = GradientsParams::from_grads(loss.backward(), &model);
            losses.push(loss.into_scalar());
            optimizer.step(settings.lr, model, gradients)
        });
        model = trained;
        seconds.push(start.elapsed().as_secs_f64());
        peaks.extend(step.peak().map(|bytes| bytes as f64));
        report(Progress { loss: losses[losses.len() - 1], live });
    }

    Trained {
        model,
        losses,
        retained: median(retained),
        peak: median(peaks),
        seconds: median(seconds),
    }
}
