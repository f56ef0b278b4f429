//! Errors are values, say what to do, and lose nothing.

use crate::support::{Net, bits, device, linear, loader, numbers, turn};
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamWConfig, ModuleOptimizer};
use burn::tensor::{FloatDType, Tensor};
use remat::amp::GradScaler;
use remat::train::observe::{Observer, ObserverError};
use remat::train::{BatchNorms, MicroBatch, SaveError, TrainError, TrainLoop, Update};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn adamw() -> ModuleOptimizer {
    AdamWConfig::new().init()
}

fn training() -> TrainLoop<Net> {
    TrainLoop::new(Net::new(1), adamw(), linear(100))
}

#[test]
fn options_that_cannot_be_are_refused() {
    let _turn = turn();
    assert!(
        training()
            .accumulate(0)
            .unwrap_err()
            .to_string()
            .contains("at least one")
    );
    let every = training().save_every(0).unwrap_err().to_string();
    assert!(every.contains("saved after every 0 windows"), "{every}");
    let nowhere = training().save_every(1).unwrap().run(1, loader, Net::loss);
    let nowhere = nowhere.unwrap_err().to_string();
    assert!(nowhere.contains("`save_in`"), "{nowhere}");
    for limit in [0.0, -1.0, f32::NAN] {
        let norm = training().clip_grad_norm(limit).unwrap_err();
        let value = training().clip_grad_value(limit).unwrap_err();
        assert!(norm.to_string().contains("above 0"), "{norm}");
        assert_eq!(norm.to_string(), value.to_string());
    }
}

#[test]
fn an_epoch_needs_micro_batches() {
    let _turn = turn();
    let mut training = training();
    let error = training.run(3, |epoch| loader(epoch).take(5 * (1 - epoch)), Net::loss);
    assert!(
        matches!(error, Err(TrainError::EmptyLoader { epoch: 1 })),
        "{error:?}"
    );
    assert!(error.unwrap_err().to_string().contains("epoch 1"));
    // What was trained before is there.
    assert_eq!(training.position().windows, 5);
}

#[test]
fn a_micro_batch_that_cannot_be_added_leaves_the_window_as_it_was() {
    let _turn = turn();
    let mut training = training().accumulate(3).unwrap();
    let mut plain = self::training().accumulate(3).unwrap();
    let x = || numbers([4, 6], 1);
    let mut refused = |forward: fn(&Net, Tensor<2>) -> MicroBatch| {
        let error = training
            .micro_batch(|model| forward(model, x()))
            .unwrap_err();
        assert!(matches!(error, TrainError::MicroBatch(_)), "{error}");
        training.micro_batch(|model| model.loss(x())).unwrap();
        plain.micro_batch(|model| model.loss(x())).unwrap();
        error.to_string()
    };
    let weight = refused(|model, x| MicroBatch::new(model.forward(x).mean(), 0));
    assert!(weight.contains("weight of a micro-batch is 0"), "{weight}");
    let low = refused(|model, x| MicroBatch::new(model.forward(x).mean().cast(FloatDType::F16), 1));
    assert!(low.contains("f32"), "{low}");
    let untracked = refused(|model, x| MicroBatch::new(model.forward(x).mean().detach(), 1));
    assert!(untracked.contains("autodiff"), "{untracked}");
    assert_eq!(training.position().windows, 1);
    assert_eq!(plain.position(), training.position());
}

/// Nor is it in the running statistics of the window, or of any: a number of rows that is none would make them NaN.
#[test]
fn a_refused_micro_batch_is_not_in_the_statistics_either() {
    let _turn = turn();
    let norms = || BatchNorms::accumulated(|net: &Net| vec![&net.norm]);
    let windows = || training().accumulate(2).unwrap().batch_norms(norms());
    let (mut refused, mut plain) = (windows(), windows());
    for seed in 0..2 {
        let x = numbers([4, 6], seed);
        let other = || numbers([9, 6], 7) * 3.0;
        let mut refuse = |weight: f64, samples: f64| {
            let error = refused.micro_batch(|model| {
                MicroBatch::new(model.forward(other()).mean(), weight).samples(samples)
            });
            assert!(matches!(error, Err(TrainError::MicroBatch(_))), "{error:?}");
        };
        for number in [f64::NAN, -1.0, 0.0, f64::INFINITY] {
            refuse(number, 9.0);
            refuse(9.0, number);
            refuse(number, number);
        }
        refused.micro_batch(|model| model.loss(x.clone())).unwrap();
        plain.micro_batch(|model| model.loss(x)).unwrap();
    }
    assert_eq!(plain.position().windows, 1);
    let statistics = |training: &TrainLoop<Net>| bits(&training.model().norm)[2..].to_vec();
    assert_eq!(statistics(&refused), statistics(&plain));
    assert_ne!(statistics(&plain), bits(&Net::new(1).norm)[2..]);
}

#[test]
fn models_in_16_bits_have_no_scaler() {
    let _turn = turn();
    let model = LinearConfig::new(2, 1).init(&device());
    let low = model.clone().map(&mut InF16);
    let mut training = TrainLoop::new(low, adamw(), 0.1).amp(GradScaler::default());
    let error = training.micro_batch(|model: &Linear| {
        let x = Tensor::<2>::ones([1, 2], &device()).cast(FloatDType::F16);
        MicroBatch::new(model.forward(x).cast(FloatDType::F32).mean(), 1)
    });
    assert!(matches!(error, Err(TrainError::Model(_))), "{error:?}");
}

struct InF16;

impl burn::module::ModuleMapper for InF16 {
    fn map_float<const D: usize>(
        &mut self,
        param: burn::module::Param<Tensor<D>>,
    ) -> burn::module::Param<Tensor<D>> {
        param.map(|value| value.cast(FloatDType::F16).detach().require_grad())
    }
}

#[test]
fn batch_normalisations_that_are_not_named_are_an_error() {
    let _turn = turn();
    let mut training = training().batch_norms(BatchNorms::accumulated(|_| vec![]));
    let error = training.run(1, loader, Net::loss).unwrap_err();
    assert!(matches!(error, TrainError::BatchNorms(_)), "{error}");
}

struct Fails;

impl Observer for Fails {
    fn update(&mut self, _: &Update) -> Result<(), ObserverError> {
        Err("no space left".into())
    }
}

/// The step has been taken, and is in the model.
#[test]
fn an_observer_that_fails_ends_the_training() {
    let _turn = turn();
    let before = bits(&Net::new(1));
    let mut training = training().observe(Fails);
    let error = training.run(1, loader, Net::loss).unwrap_err();
    assert!(error.to_string().contains("no space left"), "{error}");
    assert_eq!(training.position().windows, 1);
    assert_ne!(bits(training.model()), before);
}

/// In the last window of an epoch, the epoch ends when training goes on; no window is trained twice.
#[test]
fn an_observer_may_fail_at_the_end_of_an_epoch() {
    struct FailsAt(usize);
    impl Observer for FailsAt {
        fn update(&mut self, update: &Update) -> Result<(), ObserverError> {
            match update.position.windows {
                windows if windows == self.0 => Err("no space left".into()),
                _ => Ok(()),
            }
        }
    }
    let _turn = turn();
    let run = |observer: Option<FailsAt>| {
        let mut training = training().accumulate(2).unwrap().seed(1);
        if let Some(observer) = observer {
            training = training.observe(observer);
            training.run(2, loader, Net::loss).unwrap_err();
            assert_eq!(
                (training.position().epoch, training.position().windows),
                (0, 3)
            );
        }
        training.run(2, loader, Net::loss).unwrap();
        assert_eq!(
            (training.position().epoch, training.position().windows),
            (2, 6)
        );
        bits(training.model())
    };
    assert_eq!(run(Some(FailsAt(3))), run(None));
}

#[test]
fn a_window_that_is_open_is_not_saved() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("saved");
    let mut training = training().accumulate(2).unwrap();
    training
        .micro_batch(|model| model.loss(numbers([4, 6], 1)))
        .unwrap();
    let error = training.save(&folder).unwrap_err();
    assert!(
        matches!(error, SaveError::WindowIsOpen { micro_batches: 1 }),
        "{error}"
    );
    assert!(!folder.exists());
    training.end_epoch().unwrap();
    training.save(&folder).unwrap();
}

/// A panic in a forward pass is the user's; whoever catches it can go on.
#[test]
fn a_panic_leaves_the_loop_usable() {
    let _turn = turn();
    let run = |panics: bool| {
        let mut training = training().accumulate(2).unwrap();
        for x in loader(0).take(4) {
            if panics {
                let caught = catch_unwind(AssertUnwindSafe(|| {
                    training.micro_batch(|_| -> Option<MicroBatch> { panic!("of the user") })
                }));
                assert!(caught.is_err());
            }
            training.micro_batch(|model| model.loss(x)).unwrap();
        }
        assert_eq!(training.position().windows, 2);
        bits(training.model())
    };
    assert_eq!(run(true), run(false));
}

/// Of a loader, say, whose batches are `Result`s.
#[test]
fn a_forward_pass_that_fails_ends_the_training() {
    let _turn = turn();
    let mut training = training();
    let batches = |epoch| {
        let damaged = std::io::Error::other("the file is damaged");
        let batches = loader(epoch).take(2).map(Ok);
        batches.chain([Err(damaged)])
    };
    let error = training.run(1, batches, |model: &Net, x: std::io::Result<Tensor<2>>| {
        Ok::<_, std::io::Error>(model.loss(x?))
    });
    let error = error.unwrap_err();
    assert!(matches!(error, TrainError::Forward(_)), "{error:?}");
    assert!(error.to_string().contains("damaged"), "{error}");
    assert_eq!(training.position().windows, 2);
}
