//! Batch normalisation in windows (G07).

use crate::support::{device, error, fixed, numbers, values};
use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};
use remat::train::{Accumulator, BatchNorms, BatchNormsError};
use std::process::Command;

#[derive(Module, Debug)]
struct Net {
    conv: Conv2d,
    first: BatchNorm,
    second: BatchNorm,
    head: Linear,
}

impl Net {
    fn new(device: &Device) -> Self {
        let norm = |momentum| BatchNormConfig::new(3).with_momentum(momentum).init(device);
        Self {
            conv: fixed(Conv2dConfig::new([2, 3], [3, 3]).init(device)),
            first: norm(0.1),
            second: norm(0.4),
            head: fixed(LinearConfig::new(3, 2).init(device)),
        }
    }

    fn norms(&self) -> Vec<&BatchNorm> {
        vec![&self.first, &self.second]
    }

    fn loss(&self, x: Tensor<4>) -> Tensor<1> {
        let x = self.first.forward(self.conv.forward(x)).tanh();
        let x = x.mean_dim(3).mean_dim(2).flatten::<2>(1, 3);
        let x = self.head.forward(self.second.forward(x));
        (x.clone() * x).mean()
    }

    fn statistics(&self) -> Vec<Vec<f32>> {
        let values = |norm: &BatchNorm| {
            [&norm.running_mean, &norm.running_var].map(|state| {
                state
                    .value_sync()
                    .into_data()
                    .iter::<f32>()
                    .collect::<Vec<_>>()
            })
        };
        self.norms().into_iter().flat_map(values).collect()
    }
}

fn batch(device: &Device) -> Tensor<4> {
    // Not centred: the means of the pieces differ.
    numbers([10, 2, 6, 6], 3, device) + numbers([10, 1, 1, 1], 4, device) * 3.0
}

fn accumulate(model: &Net, norms: &mut BatchNorms<Net>, device: &Device) -> Vec<Vec<f32>> {
    let pieces = batch(device).split_with_sizes(vec![4, 1, 3, 2], 0);
    let mut accumulator = Accumulator::new(pieces.len()).unwrap();
    for x in pieces {
        let samples = x.dims()[0];
        let loss = norms
            .forward(model, samples, |model| model.loss(x))
            .unwrap();
        if let Some(window) = accumulator.add(loss, samples, model).unwrap() {
            norms.end_window(model);
            return values(model, &window.mean(model).unwrap());
        }
    }
    unreachable!()
}

fn at_once(model: &Net, device: &Device) -> Vec<Vec<f32>> {
    let grads = model.loss(batch(device)).backward();
    values(model, &GradientsParams::from_grads(grads, model))
}

/// G07: `[0, 2 | 10, 12]`: mean 6 and variance 26, not (1, 1) and (11, 1).
#[test]
fn g07_statistics_of_the_whole_window() {
    let device = device();
    let statistics = |mut norms: BatchNorms<BatchNorm>| {
        let norm = BatchNormConfig::new(1).with_momentum(1.0).init(&device);
        for half in [[[0.0], [2.0]], [[10.0], [12.0]]] {
            let x = Tensor::<2>::from_floats(half, &device);
            let _ = norms.forward(&norm, 2, |norm| norm.forward(x)).unwrap();
        }
        norms.end_window(&norm);
        [&norm.running_mean, &norm.running_var].map(|state| state.value_sync().into_scalar::<f32>())
    };
    assert_eq!(statistics(BatchNorms::as_is()), [11.0, 1.0]);
    let accumulated = BatchNorms::accumulated(|norm| vec![norm]);
    assert_eq!(statistics(accumulated), [6.0, 26.0]);
    assert_eq!(statistics(BatchNorms::frozen()), [0.0, 1.0]); // as they were
}

/// Of `[-1, 1 | 9, 11]` the first half has the mean and the variance that a new norm begins with: it counts all the same,
/// since the other channel shows that the norm ran.
#[test]
fn a_channel_that_does_not_move_counts() {
    let device = device();
    let norm = BatchNormConfig::new(2).with_momentum(1.0).init(&device);
    let mut norms = BatchNorms::accumulated(|norm: &BatchNorm| vec![norm]);
    for half in [[[-1.0, 0.0], [1.0, 2.0]], [[9.0, 10.0], [11.0, 12.0]]] {
        let x = Tensor::<2>::from_floats(half, &device);
        let _ = norms.forward(&norm, 2, |norm| norm.forward(x)).unwrap();
    }
    norms.end_window(&norm);
    for (state, expected) in [
        (&norm.running_mean, [5.0, 6.0]),
        (&norm.running_var, [26.0, 26.0]),
    ] {
        assert_eq!(
            state.value_sync().into_data().try_to_vec::<f32>().unwrap(),
            expected
        );
    }
}

#[test]
fn accumulated_statistics_are_the_batchs() {
    let device = device();
    let (pieces, whole) = (Net::new(&device), Net::new(&device));
    let mut norms = BatchNorms::accumulated(Net::norms);
    for window in 0..3 {
        accumulate(&pieces, &mut norms, &device);
        let _ = at_once(&whole, &device);
        // The second normalisation sees what the first, which normalises a piece, makes of it.
        let error = error(&pieces.statistics()[..2], &whole.statistics()[..2]);
        assert!(error < 1e-5, "{window} {error}");
    }
    assert_ne!(pieces.statistics(), Net::new(&device).statistics());
}

/// Without batch statistics the window's gradient is the batch's.
#[test]
fn frozen_statistics_stay_and_gradients_are_the_batchs() {
    let device = device();
    let model = Net::new(&device);
    let _ = at_once(&model, &device);
    let before = model.statistics();
    let pieces = accumulate(&model, &mut BatchNorms::frozen(), &device);
    assert_eq!(model.statistics(), before);

    let frozen = BatchNorms::frozen().forward(&model, 1, |model| at_once(model, &device));
    let error = error(&pieces, &frozen.unwrap());
    assert!(error < 1e-5, "{error}");
}

/// As it is, and accumulated, gradients are those of normalised pieces: not the batch's.
#[test]
fn gradients_of_normalised_pieces_are_not_the_batchs() {
    let device = device();
    let as_is = accumulate(&Net::new(&device), &mut BatchNorms::as_is(), &device);
    let accumulated = accumulate(
        &Net::new(&device),
        &mut BatchNorms::accumulated(Net::norms),
        &device,
    );
    assert_eq!(as_is, accumulated);
    assert!(error(&as_is, &at_once(&Net::new(&device), &device)) > 1e-2);
}

#[test]
fn a_dropped_window_leaves_nothing() {
    let device = device();
    let model = Net::new(&device);
    let before = model.statistics();
    let mut norms = BatchNorms::accumulated(Net::norms);
    let x = batch(&device);
    let _ = norms.forward(&model, 10, |model| model.loss(x)).unwrap();
    assert_eq!(model.statistics(), before);
    norms.drop_window();
    norms.end_window(&model);
    assert_eq!(model.statistics(), before);
}

type Two = (BatchNorm, BatchNorm);

/// A layer that does not run, and one whose input is not finite, do not count.
#[test]
fn layers_that_do_not_run_and_statistics_that_are_not_finite() {
    let device = device();
    let norms = || {
        (
            BatchNormConfig::new(1).init(&device),
            BatchNormConfig::new(1).init(&device),
        )
    };
    let model: Two = norms();
    let mut accumulated = BatchNorms::accumulated(|(left, right): &Two| vec![left, right]);
    let x = Tensor::<2>::from_floats([[1.0], [5.0]], &device);
    let _ = accumulated
        .forward(&model, 2, |(left, _)| left.forward(x.clone()))
        .unwrap();
    let _ = accumulated
        .forward(&model, 2, |(left, _)| left.forward(x.clone() / 0.0))
        .unwrap();
    accumulated.end_window(&model);

    let expected: Two = norms();
    let _ = expected.0.forward(x);
    for (norm, expected) in [(&model.0, &expected.0), (&model.1, &expected.1)] {
        let close = |left: Tensor<1>, right: Tensor<1>| {
            (left.into_scalar::<f32>() - right.into_scalar::<f32>()).abs() < 1e-6
        };
        assert!(close(
            norm.running_mean.value_sync(),
            expected.running_mean.value_sync()
        ));
        assert!(close(
            norm.running_var.value_sync(),
            expected.running_var.value_sync()
        ));
    }
}

#[test]
fn all_have_to_be_named() {
    let device = device();
    let model = Net::new(&device);
    let mut norms = BatchNorms::accumulated(|model: &Net| vec![&model.first]);
    let unnamed = norms.forward(&model, 10, |_| ()).unwrap_err();
    assert_eq!(unnamed, BatchNormsError::Unnamed { found: 2, named: 1 });
    assert!(
        unnamed.to_string().contains("batch normalisations (2)"),
        "{unnamed}"
    );
}

/// In a process of its own: the error stream of this one is the harness's.
#[test]
fn as_is_warns_once() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "batch_norm::two_windows_as_is",
            "--nocapture",
            "--include-ignored",
        ])
        .env("WARN", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        said.matches("remat: gradients accumulate").count(),
        1,
        "{said}"
    );
    assert!(said.contains("2 batch normalisations"), "{said}");
}

/// Without a second micro-batch in a window nothing accumulates, and without a batch normalisation nothing is lost.
#[test]
fn two_windows_as_is() {
    let device = device();
    let mut norms = BatchNorms::as_is();
    let x = || batch(&device);
    let model = Net::new(&device);
    for _ in 0..3 {
        let _ = norms.forward(&model, 10, |model| model.loss(x())).unwrap();
        norms.end_window(&model);
    }
    let mut linear = BatchNorms::as_is();
    let layer: Linear = LinearConfig::new(1, 1).init(&device);
    for _ in 0..3 {
        linear.forward(&layer, 1, |_| ()).unwrap();
    }
    // Said by the run of `as_is_warns_once` alone, not to clutter the others.
    if std::env::var_os("WARN").is_some() {
        for _ in 0..2 {
            accumulate(&model, &mut norms, &device);
        }
    }
}

/// One that is named twice is one, and a number of samples that is none would make the statistics NaN.
#[test]
fn what_cannot_be_counted_is_refused() {
    let device = device();
    let norm = || BatchNormConfig::new(1).init(&device);
    let model = (norm(), norm());
    let mut twice =
        BatchNorms::accumulated(|(first, _): &(BatchNorm, BatchNorm)| vec![first, first]);
    let error = twice.forward(&model, 1, |_| ()).unwrap_err();
    assert_eq!(error, BatchNormsError::Unnamed { found: 2, named: 1 });

    let mut norms = BatchNorms::accumulated(|norm: &BatchNorm| vec![norm]);
    for samples in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = norms.forward(&model.0, samples, |_| panic!("it ran"));
        let Err(BatchNormsError::Samples(_)) = error else {
            panic!("{samples}");
        };
    }
}
