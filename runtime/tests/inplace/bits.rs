//! Output and gradient are those of the plain layer, to the bit (I09).

use super::support::{SPECIAL, assert_same_bits, numbers, turn};
use burn::nn::{Relu, Sigmoid, Tanh};
use burn::tensor::{DType, Tensor, Tolerance};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use remat::InplaceActivation;
use remat::nn::{LogSoftmax, Scale, Softmax};

/// Every special number, with every special gradient.
fn special(activation: &impl InplaceActivation) {
    let _turn = turn();
    for shift in 0..SPECIAL.len() {
        let mut cotangent = SPECIAL;
        cotangent.rotate_left(shift);
        assert_same_bits(activation, &SPECIAL, &cotangent);
    }
}

#[test]
fn relu_of_special_numbers() {
    special(&Relu::new());
}

#[test]
fn sigmoid_of_special_numbers() {
    special(&Sigmoid::new());
}

#[test]
fn tanh_of_special_numbers() {
    special(&Tanh::new());
}

#[test]
fn scale_of_special_numbers() {
    for factor in [2.0, -0.3, 0.0] {
        special(&Scale::new(factor));
    }
}

#[test]
fn random_numbers() {
    // Also while numbers are drawn, which allocates: others count bytes.
    let _turn = turn();
    let mut runner = TestRunner::new(ProptestConfig::with_cases(32));
    let same = runner.run(&numbers(), |pairs| {
        let (x, cotangent): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        assert_same_bits(&Relu::new(), &x, &cotangent);
        assert_same_bits(&Sigmoid::new(), &x, &cotangent);
        assert_same_bits(&Tanh::new(), &x, &cotangent);
        Ok(())
    });
    same.unwrap();
}

/// The output to the bit, the gradient as near as f64 is to f64.
#[test]
fn softmax_is_that_of_burn() {
    let _turn = turn();
    let device = super::support::device();
    for dtype in [DType::F32, DType::F64] {
        let numbers: Vec<f64> = (0..60)
            .map(|i| f64::from(i * 37 % 60) / 7.0 - 4.0)
            .collect();
        let data = burn::tensor::TensorData::new(numbers, [4, 5, 3]);
        let run = |f: &dyn Fn(Tensor<3>) -> Tensor<3>| {
            let leaf = Tensor::<3>::from_data(data.clone(), (&device, dtype)).require_grad();
            let y = f(leaf.clone() * 1.0);
            let weights = Tensor::<3>::from_data(data.clone(), (&device, dtype)).sin();
            let grads = (y.clone() * weights).sum().backward();
            (y.into_data(), leaf.grad(&grads).unwrap().into_data())
        };
        let tolerance = if dtype == DType::F64 { 1e-12 } else { 2e-6 };
        for dim in -3..3 {
            let (softmax, log_softmax) = (Softmax::new(dim), LogSoftmax::new(dim));
            for (inplace, plain) in [
                (
                    run(&|x| remat::inplace(&softmax, x)),
                    run(&|x| softmax.forward(x)),
                ),
                (
                    run(&|x| remat::inplace(&log_softmax, x)),
                    run(&|x| log_softmax.forward(x)),
                ),
            ] {
                assert_eq!(inplace.0, plain.0, "{dtype:?}, dimension {dim}");
                inplace
                    .1
                    .assert_approx_eq::<f64>(&plain.1, Tolerance::absolute(tolerance));
            }
        }
    }
}
