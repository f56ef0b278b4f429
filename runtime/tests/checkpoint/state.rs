//! Module state moves once.

use crate::support::{assert_as_plain, assert_same, device, loss, numbers};
use burn::module::{Module, RunningState};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig};
use burn::tensor::Tensor;
use remat::{checkpoint, recompute};

fn running_mean(norm: &BatchNorm) -> f32 {
    norm.running_mean.value_sync().into_scalar::<f32>()
}

/// A norm by a strategy that runs it again.
type Strategy = fn(&BatchNorm, Tensor<2>) -> Tensor<2>;

const STRATEGIES: [Strategy; 2] = [
    |norm, x| checkpoint(norm, (x,), |norm, (x,)| norm.forward(x)),
    |norm, x| recompute(norm, (x,), |norm, (x,)| norm.forward(x)),
];

/// momentum .1, batch means 1, 2, 3 from 0: .1, .29, .561 (with two updates a step: 1.0025).
#[test]
fn c07_running_mean_after_three_steps() {
    let device = device();
    for strategy in STRATEGIES {
        let norm = BatchNormConfig::new(1).with_momentum(0.1).init(&device);
        for (mean, expected) in [(1.0, 0.1), (2.0, 0.29), (3.0, 0.561)] {
            let x = Tensor::<2>::from_floats([[mean - 1.0], [mean + 1.0]], &device).require_grad();
            let _ = strategy(&norm, x).powi_scalar(2).sum().backward();
            assert!((running_mean(&norm) - expected).abs() < 1e-6);
        }
    }
}

#[test]
fn c08_statistics_move_in_the_forward_even_without_a_backward() {
    let device = device();
    for strategy in STRATEGIES {
        let norm = BatchNormConfig::new(1).with_momentum(0.1).init(&device);
        let x = Tensor::<2>::from_floats([[0.0], [2.0]], &device).require_grad();
        let y = strategy(&norm, x);
        assert!((running_mean(&norm) - 0.1).abs() < 1e-6);
        let _ = y.powi_scalar(2).sum().backward();
        assert!((running_mean(&norm) - 0.1).abs() < 1e-6);
    }
}

#[test]
fn batch_norm_gradients_and_statistics_as_plain() {
    type Net = (Linear, BatchNorm);
    let device = device();
    let new = || -> Net {
        (
            LinearConfig::new(4, 3).init(&device),
            BatchNormConfig::new(3).init(&device),
        )
    };
    let x = numbers([5, 4], &device);
    let forward = |net: &Net| {
        let y = checkpoint(net, (x.clone(),), |(linear, norm), (x,)| {
            norm.forward(linear.forward(x))
        });
        loss(y)
    };
    assert_as_plain(&new(), forward);

    let (net, twin) = (new(), new());
    let twin: Net = (net.0.clone(), twin.1);
    let _ = forward(&net).backward();
    let _ = remat::without_strategies(|| forward(&twin)).backward();
    let variance = |net: &Net| net.1.running_var.value_sync().into_data();
    assert_same(&variance(&net), &variance(&twin));
}

/// A layer whose output depends on state that its forward moves, as the scales of 8-bit training.
#[derive(Module, Debug)]
struct Delayed {
    linear: Linear,
    amax: RunningState<Tensor<1>>,
}

impl Delayed {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let scale = self.amax.value_sync();
        self.amax.update(scale.clone() * 2.0);
        self.linear.forward(x) * scale.unsqueeze()
    }
}

#[test]
fn c10_the_second_run_sees_the_state_of_the_first() {
    let strategies: [fn(&Delayed, Tensor<2>) -> Tensor<2>; 2] = [
        |layer, x| checkpoint(layer, (x,), |layer, (x,)| layer.forward(x)),
        |layer, x| recompute(layer, (x,), |layer, (x,)| layer.forward(x)),
    ];
    let device = device();
    for strategy in strategies {
        let layer = Delayed {
            linear: LinearConfig::new(2, 2).init(&device),
            amax: RunningState::new(Tensor::from_floats([3.0], &device)),
        };
        let x = Tensor::<2>::from_floats([[1.0, 2.0]], &device);
        let (first, second) = (strategy(&layer, x.clone()), strategy(&layer, x));
        let grads = (first.sum() + second.sum()).backward();
        assert_eq!(layer.amax.value_sync().into_scalar::<f32>(), 12.0);
        // d/db of (b * 3) + (b * 6), once an element
        let bias = layer.linear.bias.as_ref().unwrap().grad(&grads).unwrap();
        assert_eq!(bias.into_data().try_to_vec::<f32>().unwrap(), [9.0, 9.0]);
    }
}
