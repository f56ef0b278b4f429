//! The steps of a learner, one by one.

use burn::lr_scheduler::linear::LinearLrSchedulerConfig;
use burn::lr_scheduler::module_lr_scheduler::ModuleLrScheduler;
use burn::lr_scheduler::{LrScheduler, LrSchedulerRecord};
use burn::module::{Module, Param};
use burn::nn::loss::{MseLoss, Reduction};
use burn::optim::{
    AdamWConfig, GradientsAccumulator, GradientsParams, ModuleOptimizer, MultiGradientsParams,
    SgdConfig,
};
use burn::tensor::{Device, FloatDType, Tensor};
use burn::train::{InferenceStep, Learner, RegressionOutput, TrainStep};
use remat::amp::{GradScaler, GradScalerConfig, LearnerScaler, Scaled, TrainLoss};
use remat_examples::gradients::parameters;

/// A weight, the gradient of which is what it is multiplied by.
#[derive(Module, Debug)]
struct Dot {
    weight: Param<Tensor<2>>,
}

impl Dot {
    fn new() -> Self {
        let weight = Tensor::from_floats([[1.0, 2.0]], &device()).require_grad();
        Self {
            weight: Param::from_tensor(weight),
        }
    }

    fn output(&self, x: Tensor<2>) -> RegressionOutput {
        let loss = (self.weight.val() * x.clone()).sum();
        RegressionOutput::new(loss, x.clone(), x)
    }
}

impl TrainLoss for Dot {
    type Input = Tensor<2>;
    type Output = RegressionOutput;

    fn loss(&self, x: Tensor<2>) -> (Tensor<1>, RegressionOutput) {
        let output = self.output(x);
        (output.loss.clone(), output)
    }
}

impl InferenceStep for Dot {
    type Input = Tensor<2>;
    type Output = RegressionOutput;

    fn step(&self, x: Tensor<2>) -> RegressionOutput {
        let zeros = x.zeros_like();
        let loss = MseLoss::new().forward(x.clone(), zeros.clone(), Reduction::Mean);
        RegressionOutput::new(loss, x, zeros)
    }
}

fn device() -> Device {
    Device::flex().autodiff()
}

fn batch(x: [f32; 2]) -> Tensor<2> {
    Tensor::from_floats([x], &device())
}

const INFINITE: [f32; 2] = [f32::INFINITY, 1.0];

fn scaler() -> LearnerScaler {
    let config = GradScalerConfig::new().with_init_scale(1024.0);
    LearnerScaler::new(config.with_growth_interval(3).init().unwrap())
}

fn schedule() -> ModuleLrScheduler {
    LinearLrSchedulerConfig::new(1.0, 0.1, 9).init().unwrap()
}

fn adamw() -> ModuleOptimizer {
    AdamWConfig::new().init()
}

fn learner(scaler: &LearnerScaler, optimizer: ModuleOptimizer) -> Learner<Scaled<Dot>> {
    Learner::new(
        scaler.model(Dot::new()),
        optimizer,
        scaler.schedule(schedule()),
    )
}

/// A step as burn's loop takes it; gives the learning rate.
fn step(learner: &mut Learner<Scaled<Dot>>, x: [f32; 2]) -> f64 {
    let output = learner.train_step(batch(x));
    learner.lr_step();
    learner.optimizer_step(output.grads);
    (learner.lr_current().base() * 10.0).round() / 10.0
}

fn weight(learner: &Learner<Scaled<Dot>>) -> Vec<f32> {
    parameters(&learner.model()).concat()
}

#[test]
fn gradients_are_scaled_and_come_to_the_optimizer_as_they_are() {
    let scaler = scaler();
    let mut learner = learner(&scaler, SgdConfig::new().init());
    let output = learner.train_step(batch([0.5, 0.25]));
    let id = learner.model().inner().weight.id;
    let grads: Vec<f32> = output
        .grads
        .get::<2>(id)
        .unwrap()
        .into_data()
        .iter()
        .collect();
    assert_eq!(grads, [512.0, 256.0]);
    assert_eq!(step(&mut learner, [0.5, 0.25]), 1.0);
    assert_eq!(weight(&learner), [0.5, 1.75]);
}

#[test]
fn s06_s12_a_skipped_step_moves_neither_model_nor_schedule() {
    let scaler = scaler();
    let mut skipping = learner(&scaler, adamw());
    let mut plain = learner(&LearnerScaler::new(GradScaler::default()), adamw());
    let mut rates = Vec::new();
    for x in [[0.5, 0.1], INFINITE, INFINITE, [0.2, 0.3], [0.1, -0.4]] {
        let before = weight(&skipping);
        rates.push(step(&mut skipping, x));
        if x == INFINITE {
            assert_eq!(weight(&skipping), before);
            let overflow = scaler.last_overflow().unwrap();
            assert_eq!(overflow.parameter().unwrap().path, "weight");
        } else {
            assert!(scaler.last_overflow().is_none());
            step(&mut plain, x);
            assert_eq!(
                weight(&skipping),
                weight(&plain),
                "as if it had not been there"
            );
        }
    }
    assert_eq!(rates, [1.0, 0.9, 0.9, 0.9, 0.8]);
    assert_eq!(scaler.scaler().overflows(), 2);
    assert_eq!(scaler.scaler().scale(), 256.0);
}

#[test]
fn s13_accumulated_gradients_are_of_one_scale() {
    let scaler = scaler();
    let mut learner = learner(&scaler, SgdConfig::new().init());
    let mut window = |batches: &[[f32; 2]]| {
        let mut accumulator = GradientsAccumulator::new();
        for x in batches {
            let output = learner.train_step(batch(*x));
            accumulator.accumulate(&learner.model(), output.grads);
        }
        learner.lr_step();
        learner.optimizer_step(accumulator.grads());
        weight(&learner)
    };
    assert_eq!(window(&[[0.25, 0.5], [0.5, 0.25]]), [0.25, 1.25]);
    assert_eq!(window(&[[0.25, 0.5], INFINITE, [1.0, 1.0]]), [0.25, 1.25]);
    assert_eq!(scaler.scaler().scale(), 512.0, "one backoff");
}

#[test]
fn gradients_of_several_devices_are_summed() {
    let scaler = scaler();
    let mut learner = learner(&scaler, SgdConfig::new().init());
    let grads = |x| (learner.train_step(batch(x)).grads, device());
    let grads = MultiGradientsParams {
        grads: vec![grads([0.25, 0.5]), grads([0.5, 0.25])],
    };
    learner.lr_step();
    learner.optimizer_step_multi(grads);
    assert_eq!(weight(&learner), [0.25, 1.25]);
}

#[test]
fn records_are_those_of_the_model() {
    let model = scaler().model(Dot::new());
    let plain = Dot::new().load_record(model.clone().into_record());
    assert_eq!(parameters(&plain), parameters(&model));
    let zeros = Dot {
        weight: Param::from_tensor(Tensor::zeros([1, 2], &device())),
    };
    let loaded = model.load_record(zeros.into_record());
    assert_eq!(parameters(loaded.inner()), [[0.0, 0.0]]);
    assert_eq!(loaded.to_string(), loaded.inner().to_string());
}

#[test]
fn a_learners_checkpoint_resumes_to_the_bit_also_after_a_skipped_step() {
    let batches = [
        [0.5, 0.1],
        INFINITE,
        [0.2, 0.3],
        [0.1, -0.4],
        INFINITE,
        [0.3, 0.3],
    ];
    let run = |learner: &mut Learner<_>, batches: &[[f32; 2]]| {
        batches
            .iter()
            .map(|x| step(learner, *x))
            .collect::<Vec<_>>()
    };
    let whole_scaler = scaler();
    let mut whole = learner(&whole_scaler, adamw());
    let whole_rates = run(&mut whole, &batches);

    for stop in 0..batches.len() {
        // The parts are kept here, since a learner only gives its model.
        let first = scaler();
        let (mut model, mut optimizer) = (first.model(Dot::new()), adamw());
        let mut rates: ModuleLrScheduler = first.schedule(schedule()).into();
        for x in &batches[..stop] {
            let output = TrainStep::step(&model, batch(*x));
            let rate = rates.step();
            model = model.optimize(&mut optimizer, rate, output.grads);
        }

        let second = scaler();
        let mut resumed = learner(&second, adamw());
        resumed.load_model(model.into_record());
        resumed.load_optim(optimizer.to_record());
        resumed.load_scheduler(rates.to_record());
        assert_eq!(second.scaler().state(), first.scaler().state());

        assert_eq!(run(&mut resumed, &batches[stop..]), whole_rates[stop..]);
        assert_eq!(weight(&resumed), weight(&whole));
        assert_eq!(second.scaler().state(), whole_scaler.scaler().state());
    }
}

#[test]
fn a_record_without_a_scaler_leaves_it_as_it_is() {
    let scaler = scaler();
    let before = scaler.scaler().state();
    let record = LrSchedulerRecord::new().with_record("schedule", schedule().to_record());
    scaler.schedule(schedule()).load_record(record);
    assert_eq!(scaler.scaler().state(), before);
}

#[test]
#[should_panic(expected = "missing in the record")]
fn a_record_with_a_part_of_a_scaler_is_refused() {
    let part = LrSchedulerRecord::new().with_scalar("scale", 2.0_f32);
    let record = LrSchedulerRecord::new()
        .with_record("schedule", schedule().to_record())
        .with_record("scaler", part);
    scaler().schedule(schedule()).load_record(record);
}

#[test]
fn a_model_without_gradients_takes_no_step() {
    let scaler = scaler();
    let mut learner = learner(&scaler, adamw());
    let before = scaler.scaler().state();
    learner.lr_step();
    learner.optimizer_step(GradientsParams::new());
    assert_eq!(weight(&learner), [1.0, 2.0]);
    assert_eq!(scaler.scaler().state(), before);
}

/// Its loss is in f16.
#[derive(Module, Debug)]
struct LowLoss {
    dot: Dot,
}

impl TrainLoss for LowLoss {
    type Input = Tensor<2>;
    type Output = RegressionOutput;

    fn loss(&self, x: Tensor<2>) -> (Tensor<1>, RegressionOutput) {
        let (loss, output) = self.dot.loss(x);
        (loss.cast(FloatDType::F16), output)
    }
}

#[test]
#[should_panic(expected = "the loss is f16")]
fn a_loss_in_low_precision_is_refused_with_advice() {
    let model = scaler().model(LowLoss { dot: Dot::new() });
    TrainStep::step(&model, batch([1.0, 1.0]));
}
