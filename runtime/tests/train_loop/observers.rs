//! What observers are told and write.

use crate::support::{Net, loader, turn};
use burn::optim::AdamWConfig;
use burn::tensor::Tensor;
use remat::train::observe::{Epoch, Metrics, Observer, ObserverError};
use remat::train::{MicroBatch, Position, StopSignal, Summary, TrainLoop, Update};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

fn training() -> TrainLoop<Net> {
    let training = TrainLoop::new(Net::new(1), AdamWConfig::new().init(), 0.1);
    training.accumulate(2).unwrap().clip_grad_norm(1.0).unwrap()
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn say(&self, what: String) {
        self.0.lock().unwrap().push(what);
    }
}

impl Observer for Log {
    fn begin(&mut self, position: &Position) -> Result<(), ObserverError> {
        self.say(format!("begin at {}", position.windows));
        Ok(())
    }

    fn epoch(&mut self, epoch: &Epoch) -> Result<(), ObserverError> {
        let Epoch {
            number,
            epochs,
            windows,
            ..
        } = epoch;
        self.say(format!("epoch {number} of {epochs}, {windows:?}"));
        Ok(())
    }

    fn update(&mut self, update: &Update) -> Result<(), ObserverError> {
        self.say(format!("window {}", update.position.windows));
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> Result<(), ObserverError> {
        self.say(format!("end at {}", summary.position.windows));
        Ok(())
    }
}

#[test]
fn observers_are_told_in_order() {
    let _turn = turn();
    let log = Log::default();
    let mut run = training().observe(log.clone());
    run.run(1, loader, Net::loss).unwrap();
    let endless = |epoch| loader(epoch).filter(|_| true);
    run.run(2, endless, Net::loss).unwrap();
    let said = log.0.lock().unwrap().clone();
    let expected = [
        "begin at 0",
        "epoch 0 of 1, Some(3)",
        "window 1",
        "window 2",
        "window 3",
        "end at 3",
        "begin at 3",
        "epoch 1 of 2, None",
        "window 4",
        "window 5",
        "window 6",
        "end at 6",
    ];
    assert_eq!(said, expected);
}

fn lines(path: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn windows(path: &Path) -> Vec<u64> {
    lines(path)
        .iter()
        .map(|line| line["window"].as_u64().unwrap())
        .collect()
}

#[test]
fn metrics_are_a_line_for_every_window() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("metrics.jsonl");
    fs::write(&path, "an old one\n").unwrap();
    let mut run = training().observe(Metrics::create(&path));
    let mut seen = 0;
    let forward = |model: &Net, x: Tensor<2>| {
        seen += 1;
        let samples = x.dims()[0];
        let factor = if seen == 3 { f32::NAN } else { 1.0 };
        MicroBatch::new((model.forward(x) - 0.5).square().mean() * factor, samples)
    };
    run.run(1, loader, forward).unwrap();

    let lines = lines(&path);
    assert_eq!(windows(&path), [1, 2, 3]);
    let first = &lines[0];
    assert_eq!(
        (first["epoch"].as_u64(), first["micro_batches"].as_u64()),
        (Some(0), Some(2))
    );
    assert_eq!(
        (first["weight"].as_f64(), first["rate"].as_f64()),
        (Some(7.0), Some(0.1))
    );
    for key in ["loss", "norm", "seconds", "weight_per_second"] {
        assert!(first[key].as_f64() > Some(0.0), "{first}");
    }
    assert!(
        first["skipped"].is_null() && first["scale"].is_null() && first["peak_bytes"].is_null()
    );
    let second = &lines[1];
    assert!(second["loss"].is_null() && second["rate"].is_null());
    assert!(
        second["skipped"].as_str().unwrap().contains("1 of 2"),
        "{second}"
    );
    assert_eq!(lines[2]["skipped_windows"].as_u64(), Some(1));
}

/// A training that was killed has written lines of windows that it had not saved.
#[test]
fn metrics_of_windows_that_are_trained_again_are_replaced() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (path, saved) = (
        folder.path().join("metrics.jsonl"),
        folder.path().join("saved"),
    );
    let mut first = training().observe(Metrics::create(&path)).save_in(&saved);
    first.run(1, loader, Net::loss).unwrap();
    let mut killed = training()
        .resume(&saved)
        .unwrap()
        .observe(Metrics::append(&path));
    killed
        .micro_batch(|model| model.loss(loader(1).next().unwrap()))
        .unwrap();
    killed
        .micro_batch(|model| model.loss(loader(1).next().unwrap()))
        .unwrap();
    drop(killed);
    assert_eq!(windows(&path), [1, 2, 3, 4]);

    let mut second = training()
        .resume(&saved)
        .unwrap()
        .observe(Metrics::append(&path));
    second.run(2, loader, Net::loss).unwrap();
    assert_eq!(windows(&path), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn files_that_cannot_be_written_or_continued_are_an_error() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("no/such/metrics.jsonl");
    let mut run = training().observe(Metrics::create(&nowhere));
    let error = run.run(1, loader, Net::loss).unwrap_err();
    assert!(error.to_string().contains("metrics.jsonl"), "{error}");

    let other = folder.path().join("other.txt");
    fs::write(&other, "not metrics\n").unwrap();
    let mut run = training().observe(Metrics::append(&other));
    let error = run.run(1, loader, Net::loss).unwrap_err();
    assert!(error.to_string().contains("other.txt"), "{error}");
    assert_eq!(fs::read_to_string(&other).unwrap(), "not metrics\n");
}

#[cfg(feature = "progress")]
#[test]
fn a_progress_bar_disturbs_nothing() {
    use remat::train::observe::ProgressBar;
    let _turn = turn();
    let mut run = training().observe(ProgressBar::new("samples"));
    run.run(2, loader, Net::loss).unwrap();
    run.run(3, |epoch| loader(epoch).filter(|_| true), Net::loss)
        .unwrap();
    assert_eq!(run.position().windows, 9);
}

#[test]
fn a_loop_by_hand_tells_its_end_itself() {
    let _turn = turn();
    let log = Log::default();
    let mut run = training().observe(log.clone()).stop_on(StopSignal::new());
    run.micro_batch(|model| model.loss(loader(0).next().unwrap()))
        .unwrap();
    run.end_epoch().unwrap();
    run.end(false).unwrap();
    let said = log.0.lock().unwrap().clone();
    assert_eq!(said, ["begin at 0", "window 1", "end at 1"]);
}

/// Training epoch by epoch, to validate between them: the file is of the whole training.
#[test]
fn metrics_go_on_when_training_does() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("metrics.jsonl");
    let mut run = training().observe(Metrics::create(&path));
    for epochs in 1..=3 {
        run.run(epochs, loader, Net::loss).unwrap();
    }
    assert_eq!(windows(&path), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

/// After some of its bytes, or before its end only: then it is all there.
#[test]
fn a_line_that_was_cut_off_is_written_again() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("metrics.jsonl");
    let mut first = training().observe(Metrics::create(&path));
    first.run(1, loader, Net::loss).unwrap();
    first.save(folder.path()).unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    for (cut, kept) in [(20, &[1, 2][..]), (1, &[1, 2, 3])] {
        fs::write(&path, &whole[..whole.len() - cut]).unwrap();
        let second = training().resume(folder.path()).unwrap();
        let mut second = second.observe(Metrics::append(&path));
        second.run(2, loader, Net::loss).unwrap();
        assert_eq!(windows(&path), [kept, &[4, 5, 6]].concat());
    }
}

/// An observer that could not begin is asked again, and does not watch in silence.
#[test]
fn whoever_runs_again_after_an_error_is_observed() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("later/metrics.jsonl");
    let mut run = training().observe(Metrics::create(&path));
    run.run(1, loader, Net::loss).unwrap_err();
    fs::create_dir(folder.path().join("later")).unwrap();
    run.run(1, loader, Net::loss).unwrap();
    assert_eq!(windows(&path), [1, 2, 3]);
}
