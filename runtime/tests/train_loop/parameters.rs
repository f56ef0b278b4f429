//! Models whose parameters are tied, frozen, grouped, adapted, or in another precision.

use crate::support::{bits, device, linear, numbers, turn};
use burn::lr_scheduler::linear::LinearLrSchedulerConfig;
use burn::lr_scheduler::module_lr_scheduler::{ModuleLrScheduler, ModuleLrSchedulerConfig};
use burn::module::{Lora, Module, ModuleMapper, Param, ParamGroup};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamWConfig, GradientsParams, ModuleOptimizer, SgdConfig};
use burn::tensor::{FloatDType, Tensor};
use remat::train::{MicroBatch, SaveError, TrainError, TrainLoop};

#[derive(Module, Debug)]
struct Pair {
    up: Linear,
    down: Linear,
}

impl Pair {
    fn new(seed: u64) -> Self {
        device().seed(seed);
        let layer = || LinearConfig::new(3, 3).init(&device());
        let pair = Self {
            up: layer(),
            down: layer(),
        };
        let _ = bits(&pair);
        pair
    }

    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.down.forward(self.up.forward(x).tanh())
    }

    fn loss(&self, x: Tensor<2>) -> MicroBatch {
        let samples = x.dims()[0];
        MicroBatch::new(self.forward(x).square().mean(), samples)
    }
}

fn loader(epoch: usize) -> impl Iterator<Item = Tensor<2>> {
    (0..4).map(move |i| numbers([2 + i, 3], 10 * epoch + i))
}

/// Trains, saves in the middle of the second epoch, and goes on; or does not stop.
fn with_and_without_a_stop<M: Module>(
    training: impl Fn(u64) -> TrainLoop<M>,
    loss: impl Fn(&M, Tensor<2>) -> MicroBatch + Copy,
) -> [Vec<Vec<u32>>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let mut whole = training(1);
    whole.run(3, loader, loss).unwrap();

    let mut first = training(1);
    first.run(1, loader, loss).unwrap();
    for x in loader(1).take(2) {
        first.micro_batch(|model| loss(model, x)).unwrap();
    }
    first.save(folder.path()).unwrap();
    let mut second = training(2).resume(folder.path()).unwrap();
    second.run(3, loader, loss).unwrap();
    [bits(whole.model()), bits(second.model())]
}

/// Two layers with one weight are, after many steps and after being saved, one layer that is called twice.
#[test]
fn a_tied_parameter_is_one() {
    #[derive(Module, Debug)]
    struct Once {
        layer: Linear,
    }
    let _turn = turn();
    let tied = |seed| {
        let mut pair = Pair::new(seed);
        pair.down = pair.up.clone();
        TrainLoop::new(pair, AdamWConfig::new().init(), linear(20)).accumulate(2)
    };
    let [whole, resumed] = with_and_without_a_stop(|seed| tied(seed).unwrap(), Pair::loss);
    assert_eq!(resumed, whole);
    assert_eq!(whole[..2], whole[2..], "both places");

    let once = Once {
        layer: Pair::new(1).up,
    };
    let mut once = TrainLoop::new(once, AdamWConfig::new().init(), linear(20))
        .accumulate(2)
        .unwrap();
    let twice = |Once { layer }: &Once, x: Tensor<2>| {
        let samples = x.dims()[0];
        let y = layer.forward(layer.forward(x).tanh());
        MicroBatch::new(y.square().mean(), samples)
    };
    once.run(3, loader, twice).unwrap();
    assert_eq!(bits(once.model()), whole[..2]);
}

/// Frozen in the middle of a window, too, for which it has a gradient already.
#[test]
fn what_is_frozen_does_not_move() {
    let _turn = turn();
    let mut training = TrainLoop::new(Pair::new(1), AdamWConfig::new().init(), 0.1)
        .accumulate(2)
        .unwrap();
    let before = bits(training.model());
    let up = || ParamGroup::from_predicate("up");
    for x in loader(0).take(1) {
        training.micro_batch(|model| model.loss(x)).unwrap();
    }
    training = training.map_model(|model| model.freeze_group(up()));
    training
        .micro_batch(|model| model.loss(numbers([2, 3], 1)))
        .unwrap();
    assert_eq!(training.position().windows, 1);
    let frozen = bits(training.model());
    assert_eq!(frozen[..2], before[..2]);
    assert!(frozen[2] != before[2] && frozen[3] != before[3]);

    training = training.map_model(|model| model.unfreeze_group(up()));
    training.run(1, |_| loader(1), Pair::loss).unwrap();
    let after = bits(training.model());
    assert!(
        after
            .iter()
            .zip(&frozen)
            .all(|(after, before)| after != before)
    );
}

fn groups() -> (ModuleOptimizer, ModuleLrScheduler) {
    let down = || ParamGroup::from_predicate("down");
    let decaying = AdamWConfig::new().with_weight_decay(0.5).build();
    let fast = LinearLrSchedulerConfig::new(0.3, 0.1, 20);
    let slow = LinearLrSchedulerConfig::new(0.1, 0.01, 20);
    let schedule = ModuleLrSchedulerConfig::new(slow.into()).with_group(down(), fast);
    (
        AdamWConfig::new().init().with_group(down(), decaying, None),
        schedule.init().unwrap(),
    )
}

#[test]
fn groups_by_path_go_on_to_the_bit() {
    let _turn = turn();
    let [whole, resumed] = with_and_without_a_stop(
        |seed| {
            let (optimizer, schedule) = groups();
            TrainLoop::new(Pair::new(seed), optimizer, schedule)
        },
        Pair::loss,
    );
    assert_eq!(resumed, whole);
}

#[test]
fn adapters_go_on_to_the_bit() {
    let _turn = turn();
    let adapted = |seed| {
        let model = Pair::new(seed).apply_lora(Lora::new(2, 4.0));
        TrainLoop::new(model, AdamWConfig::new().init(), 0.1)
    };
    let [whole, resumed] =
        with_and_without_a_stop(|seed| adapted(seed).accumulate(2).unwrap(), Pair::loss);
    assert_eq!(resumed, whole);
    let before = bits(adapted(1).model());
    let moved = whole
        .iter()
        .zip(&before)
        .filter(|(after, before)| after != before);
    assert_eq!(moved.count(), 4, "the adapters of two weights");
}

struct In(FloatDType);

impl ModuleMapper for In {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|value| value.cast(self.0).detach().require_grad())
    }
}

/// A step of burn's would mix f32 gradients with them.
#[test]
fn parameters_in_16_bits_are_refused() {
    let _turn = turn();
    for dtype in [FloatDType::F16, FloatDType::BF16] {
        let model = Pair::new(1).map(&mut In(dtype));
        let mut training = TrainLoop::new(model, SgdConfig::new().init(), 0.1);
        let loss = |model: &Pair, x: Tensor<2>| {
            MicroBatch::new(model.forward(x.cast(dtype)).cast(FloatDType::F32).mean(), 1)
        };
        let error = training.run(1, loader, loss).unwrap_err();
        assert!(matches!(error, TrainError::Model(_)), "{error}");
        assert!(error.to_string().contains("up.weight"), "{error}");
    }
}

/// burn would load the moments in f32, and the next step would mix the two.
#[test]
fn what_would_not_come_back_is_not_saved() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let loss = |model: &Pair, x: Tensor<2>| {
        let samples = x.dims()[0];
        MicroBatch::new(model.forward(x.cast(FloatDType::F64)).mean(), samples)
    };
    let model = || Pair::new(1).map(&mut In(FloatDType::F64));
    let mut moments = TrainLoop::new(model(), AdamWConfig::new().init(), 0.1);
    moments.run(1, loader, loss).unwrap();
    let error = moments.save(folder.path()).unwrap_err();
    assert!(matches!(error, SaveError::OptimizerState { .. }), "{error}");
    assert!(error.to_string().contains("f64") && error.to_string().contains("f32"));

    // Without moments there is nothing to lose.
    let [whole, resumed] = with_and_without_a_stop(
        |_| TrainLoop::new(model(), SgdConfig::new().init(), 0.1),
        loss,
    );
    assert_eq!(resumed, whole);
}

/// burn lets the record's precision replace that of the model.
#[test]
fn a_model_in_another_precision_is_of_another_kind() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let training = |model| TrainLoop::new(model, SgdConfig::new().init(), 0.1);
    training(Pair::new(1)).save(folder.path()).unwrap();
    let other = training(Pair::new(1).map(&mut In(FloatDType::F64)));
    let error = other.resume(folder.path()).unwrap_err();
    assert!(error.to_string().contains("precision"), "{error}");
}

/// Elements are limited one by one, and burn's own optimizer does the rest.
#[test]
fn gradients_are_clipped_by_value() {
    let _turn = turn();
    let x = || numbers([4, 3], 1);
    let mut training = TrainLoop::new(Pair::new(1), SgdConfig::new().init(), 1.0)
        .clip_grad_value(1e-3)
        .unwrap();
    training.micro_batch(|model| model.loss(x())).unwrap();

    let model = Pair::new(1);
    let grads = model.loss_alone(x()).backward();
    let mut grads = GradientsParams::from_grads(grads, &model);
    remat::train::clip_grad_value(&mut grads, &model, 1e-3);
    let by_hand = SgdConfig::new().init().step(1.0, model, grads);
    assert_eq!(bits(training.model()), bits(&by_hand));
    let moved = bits(training.model())[0].clone();
    assert_ne!(moved, bits(&Pair::new(1))[0]);
}

impl Pair {
    fn loss_alone(&self, x: Tensor<2>) -> Tensor<1> {
        self.forward(x).square().mean()
    }
}
