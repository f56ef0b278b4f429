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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::char_gpt::{equal_losses, generate};

    const SETTINGS: Settings = Settings {
        layers: 2,
        dim: 16,
        heads: 2,
        batch: 4,
        seq: 8,
        steps: 40,
        lr: 1e-2,
        seed: 0,
    };

    #[test]
    fn the_annotation_changes_no_bit_and_the_model_learns() {
        let _turn = crate::alone();
        let text = Text::new(&"abc".repeat(20), SETTINGS.seq).unwrap();
        let device = Device::flex().autodiff();
        device.seed(SETTINGS.seed);
        let model = Gpt::new(&SETTINGS, text.vocabulary(), &device);
        let run = || train(model.clone(), &SETTINGS, &text, &device, |_| {});

        let plain = remat::without_strategies(run);
        let annotated = run();
        assert_eq!(
            equal_losses(&plain.losses, &annotated.losses),
            SETTINGS.steps
        );
        assert!(plain.losses[SETTINGS.steps - 1] < 0.2 * plain.losses[0]);

        // Longer than what the model sees at once.
        let written = generate(&annotated.model, &SETTINGS, &text, &device, 14);
        assert_eq!(written, "abcabcabcabcabc");
    }
}
