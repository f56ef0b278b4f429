//! A micro-batch that is infinite or NaN drops its window or is left out; it is never averaged in.

use crate::support::{device, gradient, loss, weight};
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::train::accumulator::{Dropped, NonFinite};
use remat::train::{Accumulator, Window};

const INFINITY: f32 = f32::INFINITY;

fn window(model: &Linear, non_finite: NonFinite, losses: Vec<Tensor<1>>) -> Window {
    let mut accumulator = Accumulator::new(losses.len())
        .unwrap()
        .non_finite(non_finite);
    let add = |loss| accumulator.add(loss, 2, model).unwrap();
    losses.into_iter().find_map(add).unwrap()
}

#[test]
fn a_loss_drops_its_window() {
    let device = device();
    let model = weight(&device);
    for bad in [INFINITY, -INFINITY, f32::NAN] {
        // The gradient is finite: only the loss tells.
        let losses = vec![
            loss(&model, 1.0, &device),
            loss(&model, 1.0, &device) + bad,
            loss(&model, 3.0, &device),
        ];
        let window = window(&model, NonFinite::DropWindow, losses);
        let dropped = window.mean(&model).unwrap_err();
        assert_eq!(
            dropped,
            Dropped::Loss {
                count: 1,
                micro_batches: 3
            }
        );
        let text = dropped.to_string();
        assert_eq!(
            text,
            "the losses of 1 of 3 micro-batches are infinite or NaN"
        );
    }
}

#[test]
fn a_loss_is_left_out() {
    let device = device();
    let model = weight(&device);
    for bad in [INFINITY, -INFINITY, f32::NAN] {
        let losses = vec![
            loss(&model, bad, &device),
            loss(&model, 1.0, &device),
            loss(&model, 3.0, &device) * bad,
            loss(&model, 3.0, &device),
        ];
        let window = window(&model, NonFinite::LeaveOut, losses);
        assert_eq!(
            (window.micro_batches(), window.left_out(), window.weight()),
            (4, 2, 4.0)
        );
        assert!(window.loss().is_finite());
        assert_eq!(gradient(&model, &window.mean(&model).unwrap()), 2.0);
    }
}

#[test]
fn a_window_of_nothing_is_dropped() {
    let device = device();
    let model = weight(&device);
    let losses = vec![
        loss(&model, f32::NAN, &device),
        loss(&model, f32::NAN, &device),
    ];
    let window = window(&model, NonFinite::LeaveOut, losses);
    assert!(window.loss().is_nan());
    let dropped = window.mean(&model).unwrap_err();
    assert_eq!(
        dropped,
        Dropped::Loss {
            count: 2,
            micro_batches: 2
        }
    );
}

/// A finite loss with an infinite gradient: the root of zero.
#[test]
fn a_gradient_drops_its_window_in_any_case() {
    let device = device();
    let model = weight(&device);
    for non_finite in [NonFinite::DropWindow, NonFinite::LeaveOut] {
        let root = (loss(&model, 1.0, &device) * 0.0).sqrt();
        let window = window(&model, non_finite, vec![loss(&model, 1.0, &device), root]);
        let dropped = window.mean(&model).unwrap_err();
        assert!(matches!(&dropped, Dropped::Gradient(_)));
        assert!(dropped.to_string().contains("`weight`"), "{dropped}");
    }
}

/// What was dropped is gone: the next window is clean.
#[test]
fn the_next_window_is_clean() {
    let device = device();
    let model = weight(&device);
    let mut accumulator = Accumulator::new(1).unwrap();
    let window = accumulator
        .add(loss(&model, f32::NAN, &device), 1, &model)
        .unwrap();
    assert!(window.unwrap().mean(&model).is_err());
    let window = accumulator
        .add(loss(&model, 2.0, &device), 1, &model)
        .unwrap();
    assert_eq!(
        gradient(&model, &window.unwrap().mean(&model).unwrap()),
        2.0
    );
}
