//! Autocast among what else there is: f64, adapters, a second backward pass.

use super::LOW;
use crate::support::{Mlp, assert_all_same, assert_same, device, loss, numbers, run};
use burn::module::{Lora, Module, ModuleMapper, Param};
use burn::tensor::{DType, FloatDType, Tensor};
use remat::amp::{CastScope, Precision};
use remat::{autocast, without_strategies};
use std::panic::{AssertUnwindSafe, catch_unwind};

const D: usize = 8;

fn low(precision: Precision, model: &Mlp, x: Tensor<2>) -> Tensor<2> {
    autocast(precision, model, (x,), |m: &Mlp, (x,)| m.forward(x))
}

/// The module with its parameters as leaves in f64.
fn in_f64(model: &Mlp) -> Mlp {
    struct Cast;
    impl ModuleMapper for Cast {
        fn map_float<const R: usize>(&mut self, param: Param<Tensor<R>>) -> Param<Tensor<R>> {
            param.map(|value| {
                value
                    .detach()
                    .inner()
                    .cast(FloatDType::F64)
                    .autodiff()
                    .require_grad()
            })
        }
    }
    model.clone().map(&mut Cast)
}

/// An island of f32 in a caller's f64: gradients in f64, near finite differences.
#[test]
#[cfg(not(cube))] // few of whose devices compute in f64
fn f32_in_f64() {
    let device = device();
    let model = in_f64(&Mlp::new(D, &device));
    let x = numbers([3, D], &device).cast(FloatDType::F64);
    let direction = numbers([3, D], &device).cast(FloatDType::F64).sin();
    let of = |x: Tensor<2>| low(Precision::F32, &model, x);
    let leaf = x.clone().require_grad();
    let y = of(leaf.clone());
    assert_eq!(y.dtype(), DType::F64);
    let grads = y.clone().square().sum().backward();
    let gradient = leaf.grad(&grads).expect("a gradient");
    assert_eq!(gradient.dtype(), DType::F64);
    let weight = model.up.weight.val().grad(&grads).expect("a gradient");
    assert_eq!(weight.dtype(), DType::F64);

    let step = 1e-2;
    let at = |side: f64| {
        let moved = x.clone() + direction.clone() * (side * step);
        of(moved).square().sum().into_scalar::<f64>()
    };
    let difference = (at(1.0) - at(-1.0)) / (2.0 * step);
    let directional = (gradient * direction.clone().inner())
        .sum()
        .into_scalar::<f64>();
    let error = (difference - directional).abs() / directional.abs();
    assert!(error < 1e-3, "{difference} {directional}");
    // It is f32 that it has computed in.
    let plain = without_strategies(|| of(x.clone()));
    let rounded = of(x.clone()).sub(plain).abs().max().into_scalar::<f64>();
    assert!(0.0 < rounded && rounded < 1e-5, "{rounded}");
}

/// A frozen base and trained adapters, called twice: once cast each, and the numbers of two casts.
#[test]
fn adapters_in_a_scope() {
    let device = device();
    let model = Mlp::new(D, &device).apply_lora(Lora::new(2, 2.0));
    let x = numbers([5, D], &device);
    for precision in LOW {
        let twice = |model: &Mlp| {
            let h = low(precision, model, x.clone());
            loss(low(precision, model, h))
        };
        let (value, grads) = run(&model, |model| {
            let _casts = CastScope::of(model);
            twice(model)
        });
        let (expected, plain) = run(&model, twice);
        assert_same(&value, &expected);
        assert_all_same(&grads, &plain);
        assert!(grads.iter().any(Option::is_some) && grads.iter().any(Option::is_none));
    }
}

/// A second backward pass over one graph is what it is in plain burn: never other numbers.
#[test]
fn a_second_backward_pass() {
    let device = device();
    let model = Mlp::new(D, &device);
    let x = numbers([5, D], &device);
    let twice = |forward: &dyn Fn() -> Tensor<2>| {
        let y = loss(forward());
        let gradient = |y: Tensor<1>| {
            let gradient = model.up.weight.val().grad(&y.backward());
            gradient.map(Tensor::into_data)
        };
        let first = gradient(y.clone()).expect("a gradient");
        let second = catch_unwind(AssertUnwindSafe(|| gradient(y)));
        (first, second.ok().flatten())
    };
    let cast = || low(Precision::BF16, &model, x.clone());
    let (first, second) = twice(&cast);
    let (_, plain) = without_strategies(|| twice(&cast));
    assert_eq!(second.is_some(), plain.is_some());
    if let Some(second) = second {
        assert_same(&second, &first);
    }
}
