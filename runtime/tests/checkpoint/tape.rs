//! The tape by itself.

use crate::support::{device, numbers};
use burn::tensor::{Device, GradientCheckpointingStrategy, Tensor};
use remat::tape::{Parent, Vjp, record};
use std::sync::atomic::{AtomicUsize, Ordering};

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().unwrap()
}

/// More parents than one, two and three levels of joins hold.
#[test]
fn any_number_of_parents() {
    let device = device();
    for count in [1, 2, 15, 16, 17, 33, 300] {
        let leaves: Vec<_> = (0..count)
            .map(|_| Tensor::<1>::ones([1], &device).require_grad())
            .collect();
        let parents = leaves.iter().filter_map(Parent::of).collect();
        let mut node = record(parents, move |mut outputs, parents| {
            let gradient = outputs.take::<1>(0).unwrap();
            for index in 0..count {
                parents.set(index, gradient.clone() * index as f32);
            }
        });
        let y = node.output(Tensor::<1>::ones([1], &device));
        let grads = (y * 2.0).backward();
        for (index, leaf) in leaves.iter().enumerate() {
            assert_eq!(values(leaf.grad(&grads).unwrap()), [2.0 * index as f32]);
        }
    }
}

#[test]
fn without_parents_nothing_is_recorded() {
    let device = device();
    let constant = Tensor::<1>::ones([1], &device);
    assert!(Parent::of(&constant).is_none());
    let mut node = record(Vec::new(), |_, _| unreachable!("nothing to differentiate"));
    assert!(!node.output(constant).is_tracked());
}

/// Outputs of two ranks, one of them not used: the pullback runs once, and sees it as missing.
#[test]
fn several_outputs_run_the_pullback_once() {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let device = device();
    let x = numbers([2, 3], &device).require_grad();
    let mut node = record(Vec::from_iter(Parent::of(&x)), |mut outputs, parents| {
        RUNS.fetch_add(1, Ordering::Relaxed);
        let doubled = outputs.take::<2>(0).expect("used");
        let summed = outputs.take::<1>(2).expect("used");
        assert!(outputs.take::<2>(1).is_none(), "not used");
        assert!(outputs.take::<2>(0).is_none(), "taken before");
        assert!(outputs.take::<2>(9).is_none(), "no such output");
        parents.set(0, doubled * 2.0 + summed.unsqueeze());
    });
    let plain = x.clone().inner();
    let doubled = node.output(plain.clone() * 2.0);
    let _unused = node.output(plain.clone());
    let summed = node.output(plain.sum());
    let grads = (doubled.sum() * 3.0 + summed * 5.0).backward();
    assert_eq!(values(x.grad(&grads).unwrap()), [11.0; 6]);
    assert_eq!(RUNS.load(Ordering::Relaxed), 1);
}

/// burn runs the step of a parent that is no leaf in any case, and it expects a gradient.
#[test]
fn a_missing_gradient_is_none_for_a_leaf_and_zeros_for_a_result() {
    let device = device();
    let leaf = numbers([2], &device).require_grad();
    let source = numbers([2], &device).require_grad();
    let result = source.clone().exp();
    let parents = [&leaf, &result]
        .into_iter()
        .filter_map(Parent::of)
        .collect();
    let mut node = record(parents, |_, _| ());
    let grads = node.output(Tensor::<1>::ones([1], &device)).backward();
    assert!(leaf.grad(&grads).is_none());
    assert_eq!(values(source.grad(&grads).unwrap()), [0.0, 0.0]);
}

#[test]
fn outputs_carry_the_strategy_of_their_parents() {
    for (device, strategy) in [
        (
            Device::default().autodiff(),
            GradientCheckpointingStrategy::Disabled,
        ),
        (
            Device::default().autodiff().gradient_checkpointing(),
            GradientCheckpointingStrategy::Balanced,
        ),
    ] {
        let x = numbers([2], &device).require_grad();
        let mut node = record(Vec::from_iter(Parent::of(&x)), |mut outputs, parents| {
            parents.set(0, outputs.take::<1>(0).unwrap());
        });
        let y = node.output(x.clone().inner());
        assert_eq!(y.gradient_checkpointing_strategy(), Some(strategy));
        let grads = (y * x.clone()).sum().backward();
        assert_eq!(values(x.grad(&grads).unwrap()), values(x.inner() * 2.0));
    }
}

#[test]
fn vjp_from_several_outputs() {
    let device = device();
    let x = Tensor::<1>::from_floats([1.0, 2.0], &device).require_grad();
    let square = x.clone() * x.clone();
    let total = x.clone().sum();
    let constant = Tensor::<1>::ones([1], &device);
    let mut vjp = Vjp::new();
    vjp.seed(&square, Tensor::from_floats([1.0, 10.0], &device));
    vjp.seed(&total, Tensor::from_floats([100.0], &device));
    vjp.seed(&constant, Tensor::from_floats([1.0], &device));
    let grads = vjp.backward().unwrap();
    assert_eq!(values(x.grad(&grads).unwrap()), [102.0, 140.0]);
}

#[test]
fn vjp_of_nothing() {
    let constant = Tensor::<1>::ones([1], &device());
    let mut vjp = Vjp::new();
    vjp.seed(&constant, constant.clone());
    assert!(vjp.backward().is_none());
    assert!(Vjp::new().backward().is_none());
}

/// A cotangent of f16 range would overflow if it were multiplied into a loss.
#[test]
fn vjp_of_a_leaf_is_its_cotangent() {
    let device = device();
    let x = Tensor::<1>::ones([2], &device).require_grad();
    let mut vjp = Vjp::new();
    vjp.seed(&x, Tensor::from_floats([3.0, 1e38], &device));
    let grads = vjp.backward().unwrap();
    assert_eq!(values(x.grad(&grads).unwrap()), [3.0, 1e38]);
}

/// What a pullback leaves of a parent's gradient stays, also the sign of zeros; and nothing comes of nothing.
#[test]
fn accumulated_gradients_that_nobody_takes() {
    let device = device();
    for (takes, used_outside) in [(false, false), (false, true), (true, false), (true, true)] {
        let leaf = numbers([2], &device).require_grad();
        let x = leaf.clone() * 1.0;
        let mut node = record(
            Vec::from_iter(Parent::of(&x)),
            move |mut outputs, parents| {
                let before = takes.then(|| parents.take_accumulated::<1>(0)).flatten();
                assert_eq!(before.is_some(), takes && used_outside);
                let gradient = outputs.take::<1>(0).unwrap();
                parents.set(
                    0,
                    before.map_or(gradient.clone(), |before| before + gradient),
                );
            },
        );
        let y = node.output(x.clone().inner()) * -0.0;
        let y = if used_outside { y + x * -0.0 } else { y };
        let gradient = leaf.grad(&y.sum().backward()).unwrap();
        let bits = gradient.into_data().try_to_vec::<f32>().unwrap();
        assert!(
            bits.iter()
                .all(|zero| zero.to_bits() == (-0.0f32).to_bits())
        );
    }
}
