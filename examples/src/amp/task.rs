//! The two trainings.

use std::error::Error;

use burn::data::dataloader::batcher::Batcher;
use burn::module::Module;
use burn::tensor::Device;
use remat::amp::{GradScaler, InvalidScaler};

use super::{Cnn, Progress, Recipe, Settings, Task, Trained, train};
use crate::char_gpt::{Batches, Text};
use crate::digits::{DigitBatcher, Digits};
use crate::gpt::{Gpt, Sizes, Strategies};
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
) -> Result<Trained, Box<dyn Error>> {
    device.seed(settings.seed);
    let run = || match task {
        Task::Digits => digits(recipe, settings, &data.digits, device, report),
        Task::Characters => characters(recipe, settings, &data.text, device, report),
    };
    match recipe {
        Recipe::F32 => remat::without_strategies(run),
        Recipe::Bf16 | Recipe::F16 => run(),
    }
}

fn digits(
    recipe: Recipe,
    settings: &Settings,
    digits: &Digits,
    device: &Device,
    report: impl FnMut(&Progress),
) -> Result<Trained, Box<dyn Error>> {
    let model = drawn(Cnn::new(recipe.precision(), device));
    let digits = digits.train.chunks(settings.digits).cycle();
    let batches = digits.map(|digits| DigitBatcher.batch(digits.to_vec(), device));
    let loss = |model: &Cnn, batch| model.classify(batch).loss;
    let scaler = scaler(recipe, settings)?;
    Ok(train(
        model, loss, batches, settings, scaler, device, report,
    )?)
}

fn characters(
    recipe: Recipe,
    settings: &Settings,
    text: &Text,
    device: &Device,
    report: impl FnMut(&Progress),
) -> Result<Trained, Box<dyn Error>> {
    let strategies = Strategies {
        precision: recipe.precision(),
        checkpoint_every: None,
    };
    let sizes = Sizes {
        layers: settings.layers,
        dim: settings.dim,
        heads: settings.heads,
        seq: settings.seq,
    };
    let model = drawn(Gpt::new(sizes, strategies, text.vocabulary(), device));
    let mut pieces = Batches::new(text, settings.batch, settings.seq, settings.seed);
    let batches = std::iter::from_fn(|| Some(pieces.next(device)));
    let loss = |model: &Gpt, (tokens, targets)| model.loss(tokens, targets);
    let scaler = scaler(recipe, settings)?;
    Ok(train(
        model, loss, batches, settings, scaler, device, report,
    )?)
}

/// bf16 has the range of f32, and needs none.
fn scaler(recipe: Recipe, settings: &Settings) -> Result<Option<GradScaler>, InvalidScaler> {
    match recipe {
        Recipe::F16 => settings.scaler().map(Some),
        Recipe::F32 | Recipe::Bf16 => Ok(None),
    }
}

/// burn leaves it to their first use to draw parameters. Reading draws them in order.
fn drawn<M: Module>(model: M) -> M {
    let _ = parameters(&model);
    model
}
