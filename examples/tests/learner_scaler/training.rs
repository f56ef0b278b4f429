//! Whole trainings by burn's learner.

use std::fmt::Display;
use std::sync::PoisonError;

use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::InMemDataset;
use burn::lr_scheduler::cosine::CosineAnnealingLrSchedulerConfig;
use burn::lr_scheduler::module_lr_scheduler::ModuleLrScheduler;
use burn::module::Module;
use burn::optim::AdamWConfig;
use burn::tensor::Device;
use burn::train::metric::{AccuracyMetric, LossMetric};
use burn::train::{ClassificationOutput, InferenceStep, Learner, SupervisedTraining, TrainStep};
use indicatif::ProgressBar;
use remat::amp::{GradScalerConfig, LearnerScaler, Precision};
use remat_examples::amp::Cnn;
use remat_examples::digits::{Batch, DigitBatcher, Digits, History, Observer};
use remat_examples::gradients::parameters;

use crate::alone;

const EPOCHS: usize = 4;
const BATCH: usize = 64;

/// Trains a model of whatever kind.
fn train<M>(
    model: M,
    schedule: impl Into<ModuleLrScheduler>,
    epochs: usize,
    accumulation: Option<usize>,
) -> (M, History)
where
    M: TrainStep<Input = Batch, Output = ClassificationOutput>
        + InferenceStep<Input = Batch, Output = ClassificationOutput>
        + Module
        + Display
        + 'static,
{
    let digits = Digits::open(None).unwrap();
    let loader = || DataLoaderBuilder::new(DigitBatcher).batch_size(BATCH);
    let train = loader().build(InMemDataset::new(digits.train));
    let valid = loader().build(InMemDataset::new(digits.valid));
    let directory = tempfile::tempdir().unwrap();
    let observer = Observer::new(ProgressBar::hidden());
    let history = observer.history();
    let mut training = SupervisedTraining::new(directory.path(), train, valid)
        .metrics((AccuracyMetric::new(), LossMetric::new()))
        .with_application_logger(None)
        .num_epochs(epochs)
        .renderer(Box::new(observer));
    if let Some(batches) = accumulation {
        training = training.grads_accumulation(batches);
    }
    let result = training.launch(Learner::new(model, AdamWConfig::new().init(), schedule));
    assert!(result.error.is_none());
    let history = history
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    (result.model, history)
}

fn model(precision: Precision) -> Cnn {
    let device = Device::flex().autodiff();
    device.seed(5);
    let model = Cnn::new(precision, &device);
    let _ = parameters(&model);
    model
}

fn schedule() -> ModuleLrScheduler {
    let steps = EPOCHS * 1437_usize.div_ceil(BATCH);
    CosineAnnealingLrSchedulerConfig::new(3e-3, steps)
        .init()
        .unwrap()
}

fn scaler(init_scale: f32) -> LearnerScaler {
    let config = GradScalerConfig::new().with_init_scale(init_scale);
    LearnerScaler::new(config.with_growth_interval(20).init().unwrap())
}

fn assert_learned(history: &History) {
    let accuracy = history.accuracies.last().unwrap();
    assert!(*accuracy > 90.0, "{history:?}");
}

#[test]
fn bf16_needs_no_adaptor() {
    let _turn = alone();
    let (_, history) = train(model(Precision::BF16), schedule(), EPOCHS, None);
    assert_learned(&history);
}

#[test]
fn f16_trains_with_a_scaler() {
    let _turn = alone();
    // Far too large at first: the first steps overflow.
    let scaler = scaler(2.0_f32.powi(40));
    let model = scaler.model(model(Precision::F16));
    let (trained, history) = train(model, scaler.schedule(schedule()), EPOCHS, None);
    assert_learned(&history);
    let state = scaler.scaler().state();
    assert!(
        state.overflows > 3 && state.scale < 2.0_f32.powi(40),
        "{state:?}"
    );
    let parameters = parameters(&trained.into_inner()).concat();
    assert!(parameters.iter().all(|value| value.is_finite()));
}

#[test]
fn scaled_f32_is_plain_burn_to_the_bit_also_accumulated() {
    let _turn = alone();
    for accumulation in [None, Some(2)] {
        let plain = train(model(Precision::F32), schedule(), 1, accumulation);
        let scaler = scaler(65536.0);
        let model = scaler.model(model(Precision::F32));
        let (model, history) = train(model, scaler.schedule(schedule()), 1, accumulation);
        assert_eq!(parameters(&model), parameters(&plain.0));
        assert_eq!(history.losses, plain.1.losses);

        let steps = 23_usize.div_ceil(accumulation.unwrap_or(1));
        let state = scaler.scaler().state();
        assert_eq!((state.overflows, state.good_steps), (0, steps % 20));
    }
}
