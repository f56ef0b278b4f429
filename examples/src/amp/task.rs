//! The two trainings.

use burn::data::dataloader::batcher::Batcher;
use burn::tensor::Device;
use remat::amp::Refused;

use super::{Cnn, Gpt, Progress, Recipe, Settings, Task, Trained, train};
use crate::char_gpt::{Batches, Text};
use crate::digits::{DigitBatcher, Digits};
use crate::gradients::parameters;

/// What there is to train on.
pub struct Data {
    /// For the classifier.
    pub digits: Digits,
    /// For the language model.
    pub text: Text,
}

/// Trains the model of a task. The same seed gives the same parameters and batches in every recipe.
///
/// # Errors
///
/// If the scaler refuses the model or the settings.
pub fn run(
    task: Task,
    recipe: Recipe,
    settings: &Settings,
    data: &Data,
    device: &Device,
    report: impl FnMut(&Progress),
) -> Result<Trained, Box<dyn std::error::Error>> {
    let scaler = match recipe {
        Recipe::F16 => Some(settings.scaler()?),
        Recipe::F32 | Recipe::Bf16 => None,
    };
    device.seed(settings.seed);
    let trained: Result<Trained, Refused> = match task {
        Task::Digits => {
            let model = Cnn::new(recipe.precision(), device);
            let _ = parameters(&model); // draws them here: burn leaves that to their first use
            let digits = data.digits.train.chunks(settings.digits).cycle();
            let batches = digits.map(|digits| DigitBatcher.batch(digits.to_vec(), device));
            let loss = |model: &Cnn, batch| model.classify(batch).loss;
            train(model, loss, batches, settings, scaler, device, report)
        }
        Task::Characters => {
            let vocabulary = data.text.vocabulary();
            let model = Gpt::new(recipe.precision(), settings, vocabulary, device);
            let _ = parameters(&model);
            let Settings {
                batch, seq, seed, ..
            } = *settings;
            let mut pieces = Batches::new(&data.text, batch, seq, seed);
            let batches = std::iter::from_fn(|| Some(pieces.next(device)));
            let loss = |model: &Gpt, (tokens, targets)| model.loss(tokens, targets);
            train(model, loss, batches, settings, scaler, device, report)
        }
    };
    Ok(trained?)
}
