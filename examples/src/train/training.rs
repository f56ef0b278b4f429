//! The training: everything that is not its strategies is the same.

use std::error::Error;

use burn::optim::AdamWConfig;
use burn::tensor::{Device, Int, Tensor};
use remat::train::{MicroBatch, TrainLoop};

use super::{Recipe, Settings};
use crate::char_gpt::{Batches, Text};
use crate::gpt::Gpt;

/// The training of a character model.
pub type Gpts = TrainLoop<Gpt>;

/// A training that has not begun. The same seed gives the same parameters with every recipe.
///
/// # Errors
///
/// If the settings cannot be.
pub fn training(
    recipe: Recipe,
    settings: &Settings,
    text: &Text,
    device: &Device,
) -> Result<Gpts, Box<dyn Error>> {
    device.seed(settings.seed);
    let strategies = recipe.strategies(settings);
    let model = Gpt::new(settings.sizes(), strategies, text.vocabulary(), device);
    #[allow(clippy::cast_possible_truncation, reason = "norms are in f32")]
    let training = TrainLoop::new(model, AdamWConfig::new().init(), settings.lr)
        .accumulate(recipe.micro_batches(settings))?
        .clip_grad_norm(settings.clip as f32)?;
    Ok(training)
}

/// The micro-batches of an epoch: the same sequences with every recipe.
pub fn loader<'a>(
    recipe: Recipe,
    settings: &Settings,
    text: &'a Text,
    device: &'a Device,
    epoch: usize,
) -> impl Iterator<Item = (Tensor<2, Int>, Tensor<2, Int>)> + use<'a> {
    let micro_batches = recipe.micro_batches(settings);
    let (size, seed) = (
        settings.batch / micro_batches,
        settings.seed.wrapping_add(epoch as u64),
    );
    let mut batches = Batches::new(text, size, settings.seq, seed);
    (0..settings.steps.saturating_mul(micro_batches)).map(move |_| batches.next(device))
}

/// Characters and those that follow, each of which counts.
#[must_use]
pub fn micro_batch(model: &Gpt, (tokens, targets): (Tensor<2, Int>, Tensor<2, Int>)) -> MicroBatch {
    let weight = targets.dims().iter().product::<usize>();
    MicroBatch::new(model.loss(tokens, targets), weight)
}
