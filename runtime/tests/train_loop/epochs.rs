//! Where windows begin and end.

use crate::support::{Net, bits, device, loader, turn};
use burn::optim::SgdConfig;
use burn::tensor::Tensor;
use remat::train::accumulator::{Accumulator, Schedule};
use remat::train::{LastWindow, MicroBatch, TrainLoop, Update};

fn training() -> TrainLoop<Net> {
    TrainLoop::new(Net::new(1), SgdConfig::new().init(), 0.1)
}

/// The micro-batches and weights of all windows of two epochs, by hand.
fn windows(mut training: TrainLoop<Net>) -> Vec<(usize, f64)> {
    let mut windows = Vec::new();
    let mut push = |update: Option<Update>| {
        windows.extend(update.map(|update| (update.micro_batches, update.weight)));
    };
    for epoch in 0..2 {
        for x in loader(epoch) {
            push(training.micro_batch(|model| model.loss(x)).unwrap());
        }
        push(training.end_epoch().unwrap());
    }
    windows
}

#[test]
fn the_last_window_of_an_epoch_is_normalised_by_what_it_holds() {
    let _turn = turn();
    let once = [(2, 7.0), (2, 9.0), (1, 3.0)];
    assert_eq!(
        windows(training().accumulate(2).unwrap()),
        [once, once].concat()
    );
}

#[test]
fn the_last_window_of_an_epoch_can_be_dropped() {
    let _turn = turn();
    let dropping = training().accumulate(2).unwrap();
    let once = [(2, 7.0), (2, 9.0)];
    let dropping = dropping.last_window(LastWindow::Drop);
    assert_eq!(windows(dropping), [once, once].concat());
}

#[test]
fn a_window_may_be_larger_than_any_epoch() {
    let _turn = turn();
    let mut training = training().accumulate(usize::MAX).unwrap();
    training.run(2, loader, Net::loss).unwrap();
    assert_eq!(training.position().windows, 2);
    training.run(0, loader, Net::loss).unwrap();
    assert_eq!(training.position().epoch, 2, "it is over");
}

#[test]
fn windows_change_with_the_epoch() {
    let _turn = turn();
    let schedule = Schedule::constant(5).unwrap().from_epoch(1, 3).unwrap();
    let training = training().accumulator(Accumulator::scheduled(schedule));
    assert_eq!(windows(training), [(5, 19.0), (3, 12.0), (2, 7.0)]);
}

/// A micro-batch without a loss is passed over, and changes nothing.
#[test]
fn micro_batches_may_have_nothing_to_learn_from() {
    let _turn = turn();
    let mut with = training().accumulate(2).unwrap();
    let padded = |epoch| loader(epoch).flat_map(|x| [Tensor::zeros([0, 6], &device()), x]);
    let forward = |model: &Net, x: Tensor<2>| (x.dims()[0] > 0).then(|| model.loss(x));
    with.run(2, padded, forward).unwrap();

    let mut without = training().accumulate(2).unwrap();
    without.run(2, loader, Net::loss).unwrap();
    assert_eq!(bits(with.model()), bits(without.model()));
    assert_eq!(with.position().windows, 6);
}

/// A loader may give what the model takes in any form.
#[test]
fn the_time_and_the_loss_of_a_window_are_known() {
    let _turn = turn();
    let mut training = training().accumulate(2).unwrap();
    let forward = |model: &Net, x| MicroBatch::new(model.forward(x).mean() * 0.0 + 3.0, 1);
    for x in loader(0).take(3) {
        if let Some(update) = training.micro_batch(|model| forward(model, x)).unwrap() {
            assert_eq!(update.loss, 3.0);
            assert!(update.time.as_nanos() > 0 && update.per_second() > 0.0);
            assert!(update.outcome.is_taken());
            // This program counts no memory, and says so.
            assert_eq!((update.live_bytes, update.peak_bytes), (None, None));
        }
    }
    assert_eq!(training.position().windows, 1);
}
