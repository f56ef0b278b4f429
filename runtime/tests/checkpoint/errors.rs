//! A segment that is not the same twice is an error before any gradient is used.

use crate::support::{device, numbers};
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{FloatDType, Tensor, s};
use remat::{Checkpoint, checkpoint_with};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The message of the panic of `f`.
fn panic_of<R>(f: impl FnOnce() -> R) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).err().expect("a panic");
    match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => (*panic.downcast::<&str>().expect("a message")).to_string(),
    }
}

/// Runs `forward` in a segment and its backward pass, and gives the message of the panic.
fn message<O: remat::TensorTree + 'static>(
    forward: fn(&Linear, (Tensor<2>,)) -> O,
    first: fn(O) -> Tensor<2>,
) -> String {
    let device = device();
    let linear = LinearConfig::new(4, 4).init(&device);
    let x = numbers([3, 4], &device);
    let y = checkpoint_with(Checkpoint::named("Net.layer"), &linear, (x,), forward);
    panic_of(|| first(y).sum().backward())
}

/// Whether this is the first call.
fn first_time(calls: &AtomicUsize) -> bool {
    calls.fetch_add(1, Ordering::Relaxed) == 0
}

#[test]
fn c30_another_shape() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let message = message(
        |linear, (x,)| {
            let y = linear.forward(x);
            if first_time(&CALLS) {
                y
            } else {
                y.slice(s![0..2, ..])
            }
        },
        |y| y,
    );
    for part in ["Net.layer", "Linear", "output 0", "[3, 4]", "[2, 4]"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn c30_another_dtype() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    if !device().supports_dtype(FloatDType::F16) {
        return;
    }
    let message = message(
        |linear, (x,)| {
            let y = linear.forward(x);
            let dtype = if first_time(&CALLS) {
                FloatDType::F32
            } else {
                FloatDType::F16
            };
            (y.clone().sum(), y.cast(dtype))
        },
        |(_, y)| y,
    );
    for part in ["output 1", "F32", "F16"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn another_number_of_outputs() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let message = message(
        |linear, (x,)| {
            let y = linear.forward(x);
            let extra = first_time(&CALLS).then(|| y.clone());
            (y, extra)
        },
        |(y, _)| y,
    );
    assert!(
        message.contains("gave 2 tensors, its second run in the backward pass 1"),
        "{message}"
    );
}

#[test]
fn other_values() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let message = message(
        |linear, (x,)| {
            let scale = if first_time(&CALLS) { 1.0 } else { 1.5 };
            linear.forward(x) * scale
        },
        |y| y,
    );
    for part in ["Net.layer", "output 0", "other values"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn other_values_of_an_integer_output() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let message = message(
        |linear, (x,)| {
            let y = linear.forward(x);
            let shift = i32::from(first_time(&CALLS));
            (y.clone().argmax(1) + shift, y)
        },
        |(_, y)| y,
    );
    assert!(message.contains("output 0 had other values"), "{message}");
}

#[test]
fn nan_values_are_the_same_again() {
    let device = device();
    let linear: Linear = LinearConfig::new(4, 4).init(&device);
    let x = numbers([3, 4], &device) / 0.0 * 0.0;
    let y = remat::checkpoint(&linear, (x,), |linear, (x,)| linear.forward(x));
    let _ = y.sum().backward();
}

/// A tensor that is a field but no `Param` is a constant for burn: not visited, so its gradient
/// could not be handed over.
#[derive(Module, Debug)]
struct Leaky {
    linear: Linear,
    #[module(skip)]
    temperature: Tensor<1>,
}

#[test]
fn a_tracked_tensor_that_is_no_parameter() {
    let device = device();
    let temperature = Param::<Tensor<1>>::from_data([0.5], &device);
    let leaky = Leaky {
        linear: LinearConfig::new(4, 4).init(&device),
        temperature: temperature.val(),
    };
    let x = numbers([3, 4], &device);
    let message = panic_of(|| {
        remat::checkpoint(&leaky, (x,), |leaky, (x,)| {
            leaky.linear.forward(x) * leaky.temperature.clone().unsqueeze()
        })
    });
    for part in [
        "Leaky",
        "float output 0",
        "neither an input nor a parameter",
    ] {
        assert!(message.contains(part), "{message}");
    }
}

/// Only cubecl backends take the mark.
#[cfg(cube)]
#[test]
fn distributed_gradients() {
    let device = device();
    let linear: Linear = LinearConfig::new(4, 4).init(&device);
    let weight = linear
        .weight
        .clone()
        .map(|weight| weight.set_distributed(linear.weight.id));
    let linear = Linear { weight, ..linear };
    let x = numbers([3, 4], &device);
    let message = panic_of(|| remat::checkpoint(&linear, (x,), |linear, (x,)| linear.forward(x)));
    assert!(message.contains("set_distributed"), "{message}");
}
