//! Saved and resumed, to the bit.

use crate::support::{Net, bits, linear, loader, turn};
use burn::optim::AdamWConfig;
use burn::tensor::Tensor;
use remat::amp::{GradScaler, GradScalerConfig};
use remat::train::observe::{Observer, ObserverError};
use remat::train::{BatchNorms, MicroBatch, StopSignal, TrainLoop, Update};
use std::fs;

fn scaler() -> GradScaler {
    let config = GradScalerConfig::new().with_init_scale(1024.0);
    config.with_growth_interval(3).init().unwrap()
}

/// Everything that has a state, with a model of other parameters every time.
fn training(seed: u64) -> TrainLoop<Net> {
    TrainLoop::new(Net::new(seed), AdamWConfig::new().init(), linear(7))
        .accumulate(2)
        .unwrap()
        .amp(scaler())
        .clip_grad_norm(1.0)
        .unwrap()
        .batch_norms(BatchNorms::accumulated(|net: &Net| vec![&net.norm]))
}

/// The loss of the third epoch's second micro-batch is infinite: that window is skipped.
fn forward(model: &Net, x: Tensor<2>) -> MicroBatch {
    let infinite = x.clone().into_data() == loader(2).nth(1).unwrap().into_data();
    let samples = x.dims()[0];
    let loss = (model.forward(x) - 0.5).square().mean();
    MicroBatch::new(if infinite { loss * f32::INFINITY } else { loss }, samples)
}

/// Trains so many windows more.
fn further(mut training: TrainLoop<Net>, windows: usize) -> TrainLoop<Net> {
    struct StopAt(usize, StopSignal);
    impl Observer for StopAt {
        fn update(&mut self, update: &Update) -> Result<(), ObserverError> {
            if update.position.windows == self.0 {
                self.1.request();
            }
            Ok(())
        }
    }
    let stop = StopSignal::new();
    let end = training.position().windows + windows;
    training = training.stop_on(stop.clone()).observe(StopAt(end, stop));
    training.run(usize::MAX, loader, forward).unwrap();
    assert_eq!(training.position().windows, end);
    training
}

#[test]
fn a_training_goes_on_to_the_bit_wherever_it_was_saved() {
    let _turn = turn();
    let whole = further(training(1), 9);
    assert_eq!(whole.position().skipped, 1);
    for saved_after in [1, 2, 3, 5, 7] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("saved");
        let first = further(training(1), saved_after);
        first.save(&folder).unwrap();
        drop(first);

        let second = training(2).resume(&folder).unwrap();
        assert_eq!(second.position().windows, saved_after);
        let second = further(second, 9 - saved_after);
        assert_eq!(second.position(), whole.position());
        assert_eq!(bits(second.model()), bits(whole.model()), "{saved_after}");
        let numbers = |training: &TrainLoop<Net>, name: &str| {
            let folder = tempfile::tempdir().unwrap();
            training.save(folder.path().join("all")).unwrap();
            fs::read(folder.path().join("all/training").join(name)).unwrap()
        };
        for name in ["schedule.bpk", "loop.json"] {
            assert_eq!(numbers(&second, name), numbers(&whole, name));
        }
    }
}

/// The seed is drawn from the device's generator, which the model's seed has set; or it is said.
#[test]
fn a_run_repeats_by_its_seed() {
    let _turn = turn();
    let run = |model, seed: Option<u64>| {
        let training = training(model);
        let training = match seed {
            Some(seed) => training.seed(seed),
            None => training,
        };
        bits(further(training, 3).model())
    };
    assert_eq!(run(1, None), run(1, None));
    assert_eq!(run(1, Some(5)), run(1, Some(5)));
    assert_ne!(run(1, Some(5)), run(1, Some(6)), "of dropout");
    assert_ne!(run(1, Some(5)), run(1, None));
}

/// Not even where tensors get to the device when they are used for the first time.
#[test]
fn what_was_resumed_needs_its_files_no_more() {
    let _turn = turn();
    let whole = further(training(1), 4);
    let folder = tempfile::tempdir().unwrap();
    further(training(1), 2).save(folder.path()).unwrap();
    let resumed = training(2).resume(folder.path()).unwrap();
    folder.close().unwrap();
    assert_eq!(bits(further(resumed, 2).model()), bits(whole.model()));
}

/// The scale waits for a second overflow, wherever training was saved between the two.
#[test]
fn patience_of_the_scaler_is_saved() {
    let _turn = turn();
    let training = || {
        let config = GradScalerConfig::new().with_init_scale(1024.0);
        let scaler = config.with_hysteresis(2).init().unwrap();
        TrainLoop::new(Net::new(1), AdamWConfig::new().init(), linear(7)).amp(scaler)
    };
    let overflow = |mut training: TrainLoop<Net>| {
        let forward = |model: &Net| {
            let x = loader(0).next().unwrap();
            MicroBatch::new(model.forward(x).mean() * f32::INFINITY, 1)
        };
        let update = training.micro_batch(forward).unwrap().unwrap();
        assert!(!update.outcome.is_taken());
        (training, update.scale.unwrap())
    };
    let folder = tempfile::tempdir().unwrap();
    let (first, _) = overflow(training());
    first.save(folder.path()).unwrap();
    let (second, scale) = overflow(training().resume(folder.path()).unwrap());
    assert_eq!(scale, 1024.0, "after one overflow");
    assert_eq!(overflow(second).1, 512.0, "after two");
}

/// Windows of another size begin where the last one of the old size ended.
#[test]
fn the_size_of_windows_may_change() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    further(training(1), 2).save(folder.path()).unwrap();
    let mut resumed = training(2).accumulate(1).unwrap();
    resumed = resumed.resume(folder.path()).unwrap();
    assert_eq!(resumed.position().micro_batches, 4);
    resumed.run(2, loader, forward).unwrap();
    assert_eq!(resumed.position().windows, 2 + 1 + 5);
}

/// burn keeps what a forward pass did to running statistics for the next one, and records are made without it.
#[test]
fn statistics_as_they_are_are_saved() {
    let _turn = turn();
    let as_is = |seed| TrainLoop::new(Net::new(seed), AdamWConfig::new().init(), linear(7));
    let mut whole = as_is(1);
    whole.run(1, loader, Net::loss).unwrap();
    for saved_after in 1..5 {
        let folder = tempfile::tempdir().unwrap();
        let mut first = as_is(1);
        for x in loader(0).take(saved_after) {
            first.micro_batch(|model| model.loss(x)).unwrap();
        }
        first.save(folder.path()).unwrap();
        // The model that is resumed into may have run.
        let used = as_is(2);
        let _ = used.model().loss(loader(1).next().unwrap());
        let mut second = used.resume(folder.path()).unwrap();
        second.run(1, loader, Net::loss).unwrap();
        assert_eq!(
            statistics(second.model()),
            statistics(whole.model()),
            "{saved_after}"
        );
        assert_eq!(bits(second.model()), bits(whole.model()), "{saved_after}");
    }
}

fn statistics(net: &Net) -> [Vec<f32>; 2] {
    [&net.norm.running_mean, &net.norm.running_var]
        .map(|state| state.value_sync().into_data().try_to_vec().unwrap())
}

/// A micro-batch without a loss may have drawn random numbers of the window that follows it.
#[test]
fn what_was_passed_over_is_passed_over_again() {
    let _turn = turn();
    let passing = |seed| training(seed).batch_norms(BatchNorms::frozen());
    let data = |epoch| loader(epoch).enumerate();
    let forward = |model: &Net, (i, x)| {
        let batch = model.loss(x);
        (i != 2).then_some(batch)
    };
    let mut whole = passing(1);
    whole.run(1, data, forward).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let stop = StopSignal::new();
    let mut first = passing(1).stop_on(stop.clone()).save_in(folder.path());
    let stopping = |model: &Net, item: (usize, _)| {
        if item.0 == 2 {
            stop.request();
        }
        forward(model, item)
    };
    let stopped = first.run(1, data, stopping).unwrap();
    assert_eq!(stopped.position.micro_batches, 3);
    let mut second = passing(2).resume(folder.path()).unwrap();
    assert_eq!(second.position().micro_batches, 2);
    second.run(1, data, forward).unwrap();
    assert_eq!(second.position(), whole.position());
    assert_eq!(bits(second.model()), bits(whole.model()));
}

/// A training that was saved before its first window has none.
#[test]
fn a_seed_that_was_said_is_kept() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    training(1).save(folder.path()).unwrap();
    let resumed = training(1).seed(5).resume(folder.path()).unwrap();
    let [resumed, new] = [resumed, training(1).seed(5)].map(|training| further(training, 2));
    assert_eq!(bits(resumed.model()), bits(new.model()));
}
