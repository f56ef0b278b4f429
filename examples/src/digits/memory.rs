//! The memory of a step.

use burn::data::dataloader::batcher::Batcher;
use burn::tensor::Device;
use burn::train::TrainStep;
use remat::memory::measure;

use super::{Cnn, DigitBatcher, Digits, Settings};
use crate::table::in_mib;

/// The memory of a step, where it can be measured, in MiB.
#[derive(Clone, Copy, Debug)]
pub struct StepMemory {
    /// What the forward pass kept for the backward pass.
    pub retained_mib: Option<f64>,
    /// The most that was live during forward, loss and backward, minus what was before.
    pub peak_mib: Option<f64>,
}

/// Measures a step by itself: burn's learner reads its metrics on another thread, whose memory would
/// be part of the numbers.
#[must_use]
pub fn step_memory(settings: &Settings, digits: &Digits, device: &Device) -> StepMemory {
    let model = Cnn::new(device); // of its own: a step moves the running statistics
    let batch = digits.train.iter().take(settings.batch_size).cloned();
    let batch = DigitBatcher.batch(batch.collect(), device);
    let step = || drop(TrainStep::step(&model, batch.clone()));
    step(); // what burn sets up once is not part of a step

    let (output, forward) = measure(device, || model.classify(batch.clone()));
    output.loss.backward(); // sweeps the graph
    let ((), step) = measure(device, step);
    StepMemory {
        retained_mib: forward.retained().and_then(in_mib),
        peak_mib: step.peak().and_then(in_mib),
    }
}
