//! Output and gradient are those of the plain layer, to the bit (I09).

use super::support::{SPECIAL, assert_same_bits, turn};
use burn::nn::{Relu, Sigmoid, Tanh};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use remat::InplaceActivation;

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

/// Numbers and gradients of any size.
fn numbers() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let any_size = (-1.0..1.0, -30..30).prop_map(|(number, power)| number * 2.0_f64.powi(power));
    let number = || prop_oneof![4 => -8.0..8.0, 1 => any_size.clone()];
    prop::collection::vec((number(), number()), 1..200)
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
