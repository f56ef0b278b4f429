//! Layers with an exponential on one side of 0: the output is burn's to the bit, the gradient as near as its bound says.

use super::support::{DTYPES, SPECIAL, bits, counting, output_and_gradient, turn};
use burn::nn::activation::{CeluConfig, EluConfig, Selu};
use burn::tensor::{DType, GradientCheckpointingStrategy, Tensor, TensorData};
use remat::InplaceActivation;

const ALPHA_GAMMA: f64 = 1.673_263_242_354_377_2 * 1.050_700_987_355_480_5;

/// An input with the gradients that plain burn and the layer in place have there, for a gradient of 1.
struct At {
    x: f64,
    plain: f64,
    inplace: f64,
}

/// The outputs of both are equal to the bit.
fn gradients(activation: &impl InplaceActivation, dtype: DType, x: &[f64]) -> Vec<At> {
    let data = TensorData::from(x);
    let ones = TensorData::from(vec![1.0; x.len()].as_slice());
    let disabled = GradientCheckpointingStrategy::Disabled;
    let run =
        |f: &dyn Fn(Tensor<1>) -> Tensor<1>| output_and_gradient(&data, &ones, dtype, disabled, f);
    let plain = run(&|x| activation.forward(x));
    let (inplace, copies) = counting(|| run(&|x| remat::inplace(activation, x)));
    assert_eq!(copies, 0);
    assert_eq!(bits(&inplace.0), bits(&plain.0), "output in {dtype:?}");
    let x = data.convert_dtype(dtype);
    let pairs = plain.1.iter::<f64>().zip(inplace.1.iter::<f64>());
    let at = |(x, (plain, inplace))| At { x, plain, inplace };
    x.iter::<f64>().zip(pairs).map(at).collect()
}

/// From -30 to 10: there are no exponentials in it that overflow in f16.
fn ordinary() -> Vec<f64> {
    let even = (0..4000).map(|i| f64::from(i) / 100.0 - 30.0);
    let small = (0..40).map(|i| -(0.5_f64.powi(i)));
    even.chain(small.clone())
        .chain(small.map(|x| -x))
        .chain([0.0, -0.0])
        .collect()
}

/// From 1 to the next number.
fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::EPSILON,
        DType::F32 => f64::from(f32::EPSILON),
        DType::F16 => 2.0_f64.powi(-10),
        _ => 2.0_f64.powi(-7),
    }
}

/// So many epsilons at most from burn's gradients and from exact ones; and where there is no exponential, burn's.
fn check(
    activation: &impl InplaceActivation,
    x: &[f64],
    epsilons: f64,
    expected: impl Fn(f64) -> f64,
) {
    let _turn = turn();
    for dtype in DTYPES {
        let bound = epsilons * epsilon(dtype);
        for At { x, plain, inplace } in gradients(activation, dtype, x) {
            let near = |other: f64| (inplace - other).abs() <= bound;
            let expected = expected(x);
            assert!(
                near(plain) && near(expected),
                "{dtype:?} at {x}: {inplace}, burn {plain}, exactly {expected}"
            );
            assert!(x <= 0.0 || inplace == plain, "{dtype:?} at {x}");
        }
        gradients(activation, dtype, &SPECIAL);
    }
}

#[test]
fn elu() {
    for alpha in [1.0, 0.125, 1.7, 0.0, -1.0, -0.25] {
        let elu = EluConfig::new().with_alpha(alpha).init();
        check(&elu, &ordinary(), 2.0 * alpha.abs(), |x| {
            if x > 0.0 { 1.0 } else { alpha * x.exp() }
        });
    }
}

#[test]
fn celu() {
    for alpha in [1.0, 2.0, 8.0] {
        let celu = CeluConfig::new().with_alpha(alpha).init();
        check(&celu, &ordinary(), 4.0, |x| {
            if x > 0.0 { 1.0 } else { (x / alpha).exp() }
        });
    }
    // An exponential that grows: below e² here.
    let celu = CeluConfig::new().with_alpha(-2.0).init();
    let x: Vec<f64> = (0..100).map(|i| f64::from(i) / 20.0 - 4.0).collect();
    check(&celu, &x, 4.0 * 2.0_f64.exp(), |x| {
        if x > 0.0 { 1.0 } else { (x / -2.0).exp() }
    });
}

/// burn divides the gradient by an alpha whose reciprocal is rounded to f32.
#[test]
fn celu_in_f64() {
    let _turn = turn();
    let celu = CeluConfig::new().with_alpha(1.75).init();
    for At { x, plain, inplace } in gradients(&celu, DType::F64, &[-0.5, -1.0, -2.0, -3.0]) {
        let exactly = (x / 1.75).exp();
        assert!((inplace - exactly).abs() < 4.0 * f64::EPSILON, "at {x}");
        assert!((plain / exactly - 1.0).abs() > 1e-10, "at {x}");
    }
}

#[test]
fn selu() {
    let gamma = ALPHA_GAMMA / 1.673_263_242_354_377_2;
    check(&Selu::new(), &ordinary(), 2.0 * ALPHA_GAMMA, |x| {
        if x >= 0.0 {
            gamma
        } else {
            ALPHA_GAMMA * x.exp()
        }
    });
}

/// What is rounded away: where the output is at its limit, the gradient is 0.
#[test]
fn saturated() {
    let _turn = turn();
    let elu = EluConfig::new().init();
    let [At { plain, inplace, .. }] = &gradients(&elu, DType::F32, &[-20.0])[..] else {
        panic!("one number");
    };
    assert_eq!(*inplace, 0.0);
    assert!((*plain - (-20.0_f64).exp()).abs() < 1e-15, "{plain}");
}

/// Just below 0 the output is 0, as it is at 0, and the gradient is another one.
#[test]
fn selu_jumps() {
    let _turn = turn();
    for at in gradients(&Selu::new(), DType::F32, &[-1e-9, -1e-30, 0.0, -0.0, 1e-30]) {
        assert_eq!(at.inplace, at.plain, "at {}", at.x);
    }
}

/// burn multiplies an exponential that is infinite by 0, also above 0.
#[test]
fn where_the_exponential_overflows() {
    let _turn = turn();
    let above = |at: &At, gradient: f64| {
        assert!(at.plain.is_nan(), "burn at {}: {}", at.x, at.plain);
        assert_eq!(at.inplace, gradient, "at {}", at.x);
    };
    for (dtype, x) in [(DType::F32, 89.0), (DType::F16, 12.0)] {
        let [elu, celu, selu] = [
            gradients(&EluConfig::new().init(), dtype, &[x, f64::INFINITY]),
            gradients(&CeluConfig::new().init(), dtype, &[x, f64::INFINITY]),
            gradients(&Selu::new(), dtype, &[x, f64::INFINITY]),
        ];
        for at in elu.iter().chain(&celu) {
            above(at, 1.0);
        }
        let gamma = gradients(&Selu::new(), dtype, &[1.0])[0].plain;
        for at in &selu {
            above(at, gamma);
        }
    }
}

#[test]
fn nan_and_infinity() {
    let _turn = turn();
    let x = [f64::NAN, f64::NEG_INFINITY];
    for dtype in DTYPES {
        for found in [
            gradients(&EluConfig::new().init(), dtype, &x),
            gradients(&EluConfig::new().with_alpha(-1.0).init(), dtype, &x),
            gradients(&CeluConfig::new().init(), dtype, &x),
            gradients(&Selu::new(), dtype, &x),
        ] {
            assert!(found[0].inplace.is_nan() && found[0].plain.is_nan());
            assert_eq!((found[1].inplace, found[1].plain), (0.0, 0.0));
        }
    }
}
