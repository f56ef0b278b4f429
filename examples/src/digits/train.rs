//! The training: burn's learner, as in any program.

use std::error::Error;
use std::path::Path;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::InMemDataset;
use burn::lr_scheduler::cosine::CosineAnnealingLrSchedulerConfig;
use burn::optim::AdamWConfig;
use burn::tensor::Device;
use burn::train::metric::{AccuracyMetric, LossMetric};
use burn::train::{Learner, SupervisedTraining};
use indicatif::ProgressBar;

use super::{Cnn, DigitBatcher, Digits, History, Observer, Settings, StepMemory, step_memory};
use crate::gradients::parameters;

/// A trained model and how it got there.
pub struct Trained {
    /// The model.
    pub model: Cnn,
    /// Its metrics.
    pub history: History,
    /// The memory of a step.
    pub memory: StepMemory,
    /// How long it took.
    pub time: Duration,
}

/// Trains a model on a device with autodiff; metrics and checkpoints go to `directory`.
///
/// The same seed gives the same parameters, batches and dropout masks.
///
/// # Errors
///
/// If burn stops the training.
pub fn train(
    settings: &Settings,
    digits: &Digits,
    device: &Device,
    directory: &Path,
    bar: ProgressBar,
) -> Result<Trained, Box<dyn Error>> {
    let observer = Observer::new(bar);
    let history = observer.history();
    let training = training(settings, digits, directory).renderer(Box::new(observer));
    let learner = learner(settings, digits, device)?;

    let start = Instant::now();
    let result = training.launch(learner);
    let time = start.elapsed();

    if let Some(error) = result.error {
        return Err(error.into());
    }
    let history = history.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Trained {
        model: result.model,
        history: history.clone(),
        memory: step_memory(settings, digits, device),
        time,
    })
}

fn training(settings: &Settings, digits: &Digits, directory: &Path) -> SupervisedTraining<Cnn> {
    // Without workers: their batches come as they are done, in another order each time.
    let loader = || DataLoaderBuilder::new(DigitBatcher).batch_size(settings.batch_size);
    let train = loader().shuffle(settings.seed);
    let train = train.build(InMemDataset::new(digits.train.clone()));
    let valid = loader().build(InMemDataset::new(digits.valid.clone()));
    SupervisedTraining::new(directory, train, valid)
        .metrics((AccuracyMetric::new(), LossMetric::new()))
        .with_default_checkpointers()
        // It can be installed once in a process, and this is not its only training.
        .with_application_logger(None)
        .num_epochs(settings.epochs)
}

fn learner(
    settings: &Settings,
    digits: &Digits,
    device: &Device,
) -> Result<Learner<Cnn>, Box<dyn Error>> {
    device.seed(settings.seed);
    let model = Cnn::new(device);
    // Reading draws them here: burn leaves that to their first use.
    let _ = parameters(&model);
    let steps = settings.steps(digits.train.len());
    let rate = CosineAnnealingLrSchedulerConfig::new(settings.learning_rate, steps).init()?;
    Ok(Learner::new(model, AdamWConfig::new().init(), rate))
}
