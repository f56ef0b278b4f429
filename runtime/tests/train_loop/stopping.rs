//! Asked to stop.

use crate::support::{Net, loader, turn};
use burn::optim::AdamWConfig;
use remat::train::{StopSignal, TrainLoop};

fn training() -> TrainLoop<Net> {
    let training = TrainLoop::new(Net::new(1), AdamWConfig::new().init(), 0.1);
    training.accumulate(2).unwrap()
}

/// In the middle of a window, whose step is taken; then everything is saved.
#[test]
fn the_window_is_finished_and_saved() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("saved");
    let stop = StopSignal::new();
    let mut stopped = training().stop_on(stop.clone()).save_in(&folder);
    let mut seen = 0;
    let summary = stopped.run(5, loader, |model: &Net, x| {
        seen += 1;
        if seen == 8 {
            stop.request(); // the third of the second epoch
        }
        model.loss(x)
    });
    let summary = summary.unwrap();
    assert!(summary.stopped);
    assert_eq!(seen, 9);
    let position = summary.position;
    assert_eq!(
        (position.epoch, position.micro_batches, position.windows),
        (1, 4, 5)
    );
    assert_eq!(training().resume(&folder).unwrap().position(), position);

    // It stays asked.
    assert!(stopped.run(5, loader, Net::loss).unwrap().stopped);
    assert_eq!(stopped.position(), position);
}

#[test]
fn a_training_that_is_over_has_not_been_stopped() {
    let _turn = turn();
    let stop = StopSignal::new();
    let mut training = training().stop_on(stop.clone());
    let mut seen = 0;
    let summary = training.run(1, loader, |model: &Net, x| {
        seen += 1;
        if seen == 5 {
            stop.request(); // the last of all
        }
        model.loss(x)
    });
    let summary = summary.unwrap();
    assert_eq!((summary.position.epoch, summary.position.windows), (1, 3));
    assert!(!summary.stopped);
}

#[test]
fn a_training_is_saved_after_every_epoch_and_as_often_as_it_is_said() {
    let _turn = turn();
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("saved");
    let mut often = training().save_in(&folder).save_every(2).unwrap();
    for (i, x) in loader(0).enumerate() {
        often.micro_batch(|model| model.loss(x)).unwrap();
        let saved = folder.join("training").exists();
        assert_eq!(saved, i >= 3, "after the second window");
    }
    often.end_epoch().unwrap();
    let saved = training().resume(&folder).unwrap();
    assert_eq!(
        (saved.position().epoch, saved.position().micro_batches),
        (1, 0)
    );
    for kept in [place.path(), &folder] {
        assert_eq!(std::fs::read_dir(kept).unwrap().count(), 1);
    }
}

/// No window is open, and none will be: there is nothing to wait for.
#[test]
fn an_epoch_without_anything_to_learn_from_can_be_stopped() {
    let _turn = turn();
    let stop = StopSignal::new();
    let mut training = training().stop_on(stop.clone());
    let mut seen = 0;
    let summary = training.run(
        1,
        |_| std::iter::repeat_n((), 100),
        |_, ()| {
            seen += 1;
            if seen == 7 {
                stop.request();
            }
            None
        },
    );
    assert!(summary.unwrap().stopped);
    assert_eq!(training.position().micro_batches, 7);
    assert_eq!(training.position().windows, 0);
}
