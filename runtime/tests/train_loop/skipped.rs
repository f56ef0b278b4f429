//! Windows without a step.

use crate::support::{Net, bits, linear, loader, numbers, turn};
use burn::optim::AdamWConfig;
use remat::amp::GradScaler;
use remat::train::accumulator::{Accumulator, NonFinite};
use remat::train::{BatchNorms, MicroBatch, Outcome, TrainLoop, Update};

fn training() -> TrainLoop<Net> {
    TrainLoop::new(Net::new(1), AdamWConfig::new().init(), linear(7))
}

fn update(training: &mut TrainLoop<Net>, factor: f32) -> Update {
    let x = numbers([4, 6], 1);
    let update = training
        .micro_batch(|model| MicroBatch::new((model.forward(x) - 0.5).square().mean() * factor, 4));
    update.unwrap().unwrap()
}

/// The running statistics, when two more micro-batches have ended the first window.
fn statistics_after_two_more(mut training: TrainLoop<Net>) -> Vec<Vec<u32>> {
    for x in loader(0).take(2) {
        training.micro_batch(|model| model.loss(x)).unwrap();
    }
    assert_eq!(training.position().windows, 1);
    bits(&training.model().norm)[2..].to_vec()
}

fn rate(update: &Update) -> f64 {
    match &update.outcome {
        Outcome::Taken { rate, .. } => *rate,
        Outcome::Skipped(dropped) => panic!("{dropped}"),
    }
}

/// The schedule advances with steps that are taken; parameters, moments and the step count stay, to the bit.
#[test]
fn a_step_that_is_skipped_changes_nothing_but_the_scale() {
    let _turn = turn();
    for scaled in [false, true] {
        let new = || {
            if scaled {
                training().amp(GradScaler::default())
            } else {
                training()
            }
        };
        let mut training = new();
        let first = rate(&update(&mut training, 1.0));
        let before = bits(training.model());
        for factor in [f32::INFINITY, f32::NAN] {
            let skipped = update(&mut training, factor);
            assert!(!skipped.outcome.is_taken());
            // Running statistics are as is: they have seen a micro-batch.
            let (first, last) = (&bits(training.model())[..2], &before[..2]);
            assert_eq!(first, last);
        }
        assert_eq!(training.position().skipped, 2);
        let second = update(&mut training, 1.0);
        assert!(rate(&second) < first);
        if scaled {
            assert_eq!(second.scale, Some(16384.0), "after two halvings");
        }

        let mut plain = new();
        assert_eq!(rate(&update(&mut plain, 1.0)), first);
        assert_eq!(rate(&update(&mut plain, 1.0)), rate(&second));
    }
}

/// A finite loss whose scaled gradient is not.
#[test]
fn an_overflow_of_the_gradient_is_told() {
    let _turn = turn();
    let mut training = training().amp(GradScaler::default());
    let skipped = update(&mut training, 1e35);
    assert!(skipped.loss.is_finite());
    let Outcome::Skipped(dropped) = skipped.outcome else {
        panic!("a step");
    };
    assert!(dropped.to_string().contains("weight"), "{dropped}");
}

/// All elements are finite, but the sum of their squares is not.
#[test]
fn a_norm_that_overflows_skips_the_step() {
    let _turn = turn();
    let mut training = training().clip_grad_norm(1.0).unwrap();
    let before = bits(&training.model().up);
    let skipped = update(&mut training, 1e30);
    assert!(!skipped.outcome.is_taken(), "{:?}", skipped.outcome);
    assert_eq!(bits(&training.model().up), before);
}

#[test]
fn a_micro_batch_can_be_left_out_of_its_window() {
    let _turn = turn();
    let accumulator = Accumulator::new(3).unwrap().non_finite(NonFinite::LeaveOut);
    let mut training = training().accumulator(accumulator);
    let mut last = None;
    for (i, x) in loader(0).take(3).enumerate() {
        let factor = if i == 1 { f32::NAN } else { 1.0 };
        let forward = |model: &Net| {
            let samples = x.dims()[0];
            MicroBatch::new((model.forward(x) - 0.5).square().mean() * factor, samples)
        };
        last = training.micro_batch(forward).unwrap();
    }
    let update = last.unwrap();
    assert!(update.outcome.is_taken());
    assert_eq!((update.micro_batches, update.left_out), (3, 1));
    assert_eq!(update.weight, 4.0 + 5.0);
    assert!(update.loss.is_finite());
}

/// What is left out of the gradient is left out of the statistics.
#[test]
fn batch_normalisations_do_not_see_what_is_left_out() {
    let _turn = turn();
    let run = |extra: bool| {
        let accumulator = Accumulator::new(2 + usize::from(extra)).unwrap();
        let mut training = training()
            .accumulator(accumulator.non_finite(NonFinite::LeaveOut))
            .batch_norms(BatchNorms::accumulated(|net: &Net| vec![&net.norm]));
        if extra {
            let forward = |model: &Net| {
                let x = numbers([6, 6], 9) * 5.0;
                MicroBatch::new(model.forward(x).mean() * f32::NAN, 6)
            };
            training.micro_batch(forward).unwrap();
        }
        statistics_after_two_more(training)
    };
    assert_eq!(run(true), run(false));
}

/// A backward pass that panics is in the window with half of its gradient, so the window is gone, for all.
#[test]
fn nothing_stays_of_a_window_that_a_panic_took() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    let _turn = turn();
    let run = |panics: bool| {
        let mut training = training()
            .seed(1)
            .accumulator(Accumulator::new(2).unwrap())
            .batch_norms(BatchNorms::accumulated(|net: &Net| vec![&net.norm]));
        if panics {
            let taken = numbers([5, 6], 7) * 5.0;
            training
                .micro_batch(|model| model.loss(taken.clone()))
                .unwrap();
            let caught = catch_unwind(AssertUnwindSafe(|| {
                training.micro_batch(|model| {
                    let y = model.forward(taken);
                    // burn refuses a graph that has been used.
                    let _ = y.clone().sum().backward();
                    MicroBatch::new(y.mean(), 5)
                })
            }));
            assert!(caught.is_err());
        }
        statistics_after_two_more(training)
    };
    assert_eq!(run(true), run(false));
}

/// Where nothing has a gradient, there is no step, and the schedule waits.
#[test]
fn a_window_without_gradients_is_skipped() {
    let _turn = turn();
    for scaled in [false, true] {
        let training = training().map_model(burn::module::Module::no_grad);
        let mut training = if scaled {
            training.amp(GradScaler::default())
        } else {
            training
        };
        let before = bits(training.model());
        let loss = numbers([1], 1).require_grad() * 2.0;
        let update = training.micro_batch(|_| MicroBatch::new(loss, 1));
        let update = update.unwrap().unwrap();
        let said = format!("{:?}", update.outcome);
        assert!(said.contains("NoGradients"), "{said}");
        assert_eq!(bits(training.model()), before);
    }
}

/// Nor of a forward pass that a panic took, whose layers had run.
#[test]
fn statistics_do_not_move_by_a_panic() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    let _turn = turn();
    let run = |panics: bool| {
        let mut training = training()
            .accumulate(2)
            .unwrap()
            .batch_norms(BatchNorms::accumulated(|net: &Net| vec![&net.norm]));
        if panics {
            let forward = |model: &Net| -> MicroBatch {
                let _ = model.forward(numbers([9, 6], 7) * 5.0);
                panic!("of the user")
            };
            let caught = catch_unwind(AssertUnwindSafe(|| training.micro_batch(forward)));
            assert!(caught.is_err());
        }
        statistics_after_two_more(training)
    };
    assert_eq!(run(true), run(false));
}
