//! Layers with a limit, whose gradient is another one beyond it: output and gradient are burn's, to the bit.

use super::support::{SPECIAL, assert_same_bits, counting, device, numbers, turn};
use burn::nn::activation::{HardSigmoidConfig, HardtanhConfig, LeakyReluConfig, Relu6};
use burn::tensor::{Tensor, TensorData};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use remat::InplaceActivation;

/// Every limit of the layers below and numbers on both sides of it, besides the special ones; with every special gradient.
fn check(activation: &impl InplaceActivation) {
    let _turn = turn();
    let limits = [0.0, -1.0, 1.0, 6.0, -2.5, 2.5, 0.3, -0.1];
    let x: Vec<f64> = limits
        .into_iter()
        .flat_map(|limit| [-1e-2, -1e-3, -1e-7, 0.0, 1e-7, 1e-3, 1e-2].map(|off| limit + off))
        .chain(SPECIAL)
        .collect();
    for shift in 0..SPECIAL.len() {
        let cotangents = SPECIAL.into_iter().cycle().skip(shift);
        let cotangents: Vec<f64> = cotangents.take(x.len()).collect();
        assert_same_bits(activation, &x, &cotangents);
    }
    let mut runner = TestRunner::new(ProptestConfig::with_cases(8));
    let same = runner.run(&numbers(), |pairs| {
        let (x, cotangents): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        assert_same_bits(activation, &x, &cotangents);
        Ok(())
    });
    same.unwrap();
}

#[test]
fn relu6() {
    check(&Relu6::new());
}

#[test]
fn hardtanh() {
    for (min, max) in [(-1.0, 1.0), (-0.1, 0.3), (-1.0, 0.0), (0.0, 0.0)] {
        let config = HardtanhConfig::new().with_min_val(min).with_max_val(max);
        check(&config.init());
    }
}

#[test]
fn hard_sigmoid() {
    for (alpha, beta) in [(0.2, 0.5), (-0.3, 0.1), (0.0, 0.5), (f64::INFINITY, 0.0)] {
        let config = HardSigmoidConfig::new().with_alpha(alpha).with_beta(beta);
        check(&config.init());
    }
}

/// I06: a slope that no formula can invert.
#[test]
fn i06_leaky_relu_of_any_slope() {
    for slope in [0.01, 0.0, -0.0, -0.3, -3.0, 1.0, 3.0, 1e-30] {
        check(&LeakyReluConfig::new().with_negative_slope(slope).init());
    }
}

/// I06: with the numbers of a `relu` and of one that turns around.
#[test]
fn i06_numbers() {
    let _turn = turn();
    for (slope, output, gradient) in [
        (0.0, [-0.0_f32, 0.0, 3.0], [0.0_f32, 5.0, 6.0]),
        (-0.5, [1.0, 0.0, 3.0], [-2.0, 5.0, 6.0]),
    ] {
        let leaky = LeakyReluConfig::new().with_negative_slope(slope).init();
        let leaf = Tensor::<1>::from_floats([-2.0, 0.0, 3.0], &device()).require_grad();
        let (y, copies) = counting(|| remat::inplace(&leaky, leaf.clone() * 1.0));
        assert_eq!(copies, 0);
        let weights = Tensor::from_floats([4.0, 5.0, 6.0], &device());
        let grads = (y.clone() * weights).sum().backward();
        assert_eq!(y.into_data(), TensorData::from(output));
        let found = leaf.grad(&grads).unwrap().into_data();
        assert_eq!(found, TensorData::from(gradient));
    }
}

/// They keep no output, so another layer in place overwrites it.
#[test]
fn a_layer_in_place_may_follow() {
    let _turn = turn();
    let (leaky, limited) = (LeakyReluConfig::new().init(), HardtanhConfig::new().init());
    let network = |x: Tensor<1>| {
        let x = remat::inplace(&limited, remat::inplace(&leaky, x));
        remat::inplace(&burn::nn::Tanh::new(), remat::inplace(&Relu6::new(), x))
    };
    let step = || {
        let leaf = Tensor::<1>::from_floats([-9.0, -0.0, 0.5, 9.0], &device()).require_grad();
        let y = network(leaf.clone() * 2.0);
        let gradient = leaf.grad(&y.clone().sum().backward()).unwrap();
        (y.into_data(), gradient.into_data())
    };
    let (inplace, copies) = counting(step);
    assert_eq!(inplace, remat::without_strategies(step));
    assert_eq!(copies, 0);
}

/// A view whose elements are not in the order of the buffer, and a gradient that is one, too.
#[test]
fn views() {
    let _turn = turn();
    let leaky = LeakyReluConfig::new().init();
    let step = || {
        let rows = [[-1.0, 2.0, -3.0], [4.0, -5.0, 6.0]];
        let leaf = Tensor::<2>::from_floats(rows, &device()).require_grad();
        let y = remat::inplace(&leaky, (leaf.clone() * 1.0).transpose());
        let weights = Tensor::<2>::from_floats([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &device());
        let gradient = leaf.grad(&(y.clone() * weights.transpose()).sum().backward());
        (y.into_data(), gradient.unwrap().into_data())
    };
    assert_eq!(step(), remat::without_strategies(step));
}
