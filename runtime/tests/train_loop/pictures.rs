//! Pictures of loss and memory.

use crate::support::{Net, loader, turn};
use burn::optim::AdamWConfig;
use remat::train::observe::Metrics;
use remat::train::{MicroBatch, TrainLoop};
use std::fs;

fn training() -> TrainLoop<Net> {
    let training = TrainLoop::new(Net::new(1), AdamWConfig::new().init(), 0.1);
    training.accumulate(2).unwrap()
}

#[test]
fn a_picture_is_drawn_at_the_end() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (path, svg) = (
        folder.path().join("metrics.jsonl"),
        folder.path().join("run.svg"),
    );
    let mut run = training().observe(Metrics::create(&path).plot(&svg));
    run.run(2, loader, Net::loss).unwrap();
    let drawn = fs::read_to_string(&svg).unwrap();
    assert!(
        drawn.contains("loss") && drawn.contains("<polyline"),
        "{drawn}"
    );
    assert!(!drawn.contains("MiB"), "this program counts no memory");

    let nowhere = folder.path().join("no/such/run.svg");
    let mut run = training().observe(Metrics::create(&path).plot(nowhere));
    let error = run.run(1, loader, Net::loss).unwrap_err();
    assert!(error.to_string().contains("run.svg"), "{error}");
}

#[test]
fn pictures_of_few_windows_and_of_any_loss() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (path, svg) = (folder.path().join("m"), folder.path().join("m.svg"));
    let observed = || training().observe(Metrics::create(&path).plot(&svg));
    observed().run(0, loader, Net::loss).unwrap();
    assert!(fs::read_to_string(&svg).unwrap().contains("loss"));

    // Each loss has a place of its own, below zero too.
    for losses in [&[3.0][..], &[-8.0, -3.0], &[f32::MAX, 1.0], &[f32::NAN]] {
        let mut run = observed();
        for loss in losses.iter().flat_map(|loss| [*loss; 2]) {
            let constant = |model: &Net| {
                let zero = model.forward(loader(0).next().unwrap()).mean() * 0.0;
                MicroBatch::new(zero + loss, 1)
            };
            run.micro_batch(constant).unwrap();
        }
        run.end(false).unwrap();
        let drawn = fs::read_to_string(&svg).unwrap();
        let heights = heights(&drawn);
        assert!(heights.iter().all(|y| (0..600).contains(y)), "{heights:?}");
        if losses.len() == 2 {
            assert!(heights[0] != heights[1], "{heights:?}");
        }
    }
}

/// Of the points of the curve of losses, whose colour no axis has.
fn heights(svg: &str) -> Vec<i32> {
    let curve = svg.lines().find(|line| {
        line.starts_with("<polyline") && line.contains("#0000FF") && line.matches(',').count() > 1
    });
    let points = curve.and_then(|line| line.split("points=\"").nth(1));
    let points = points.and_then(|points| points.split('"').next());
    let points = points.unwrap_or_default().split_whitespace();
    points
        .map(|point| point.split(',').nth(1).unwrap().parse().unwrap())
        .collect()
}
