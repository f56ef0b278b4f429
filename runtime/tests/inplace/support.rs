//! Comparing a layer in place with the plain one.

use burn::tensor::{DType, Device, GradientCheckpointingStrategy, Tensor, TensorData};
use proptest::prelude::*;
use remat::inplace::{InplaceActivation, copies};
use std::sync::{Mutex, MutexGuard, PoisonError};

static TURN: Mutex<()> = Mutex::new(());

pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn device() -> Device {
    Device::flex().autodiff()
}

/// What `f` returns and how many inputs it copied.
pub fn counting<R>(f: impl FnOnce() -> R) -> (R, usize) {
    let before = copies();
    let result = f();
    (result, copies() - before)
}

pub const DTYPES: [DType; 4] = [DType::F32, DType::F64, DType::F16, DType::BF16];

/// Numbers that are hard to get right: both zeros, subnormal, tiny, huge and infinite ones, NaN.
pub const SPECIAL: [f64; 16] = [
    0.0,
    -0.0,
    1e-45,
    -1e-45,
    1e-39,
    -1e-39,
    6e-8,
    -6e-8,
    1.0,
    -1.0,
    -20.0,
    1e4,
    -1e30,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Numbers and gradients of any size.
pub fn numbers() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let any_size = (-1.0..1.0, -30..30).prop_map(|(number, power)| number * 2.0_f64.powi(power));
    let number = || prop_oneof![4 => -8.0..8.0, 1 => any_size.clone()];
    prop::collection::vec((number(), number()), 1..200)
}

/// The bytes of the numbers, so that NaN equals NaN, and zeros keep their sign.
pub fn bits(data: &TensorData) -> &[u8] {
    data.as_bytes()
}

/// Output and gradient of `f` at `x`, for the gradient `cotangent` of the output.
pub fn output_and_gradient(
    x: &TensorData,
    cotangent: &TensorData,
    dtype: DType,
    strategy: GradientCheckpointingStrategy,
    f: impl Fn(Tensor<1>) -> Tensor<1>,
) -> (TensorData, TensorData) {
    let device = device();
    let tensor = |data: &TensorData| {
        Tensor::<1>::from_data(data.clone(), (&device, dtype))
            .with_gradient_checkpointing_strategy(strategy)
    };
    let leaf = tensor(x).require_grad();
    let y = f(leaf.clone() * 1.0);
    let mut vjp = remat::tape::Vjp::new();
    vjp.seed(&y, tensor(cotangent));
    let grads = vjp.backward().expect("the output is tracked");
    let gradient = leaf.grad(&grads).expect("the leaf has a gradient");
    (y.into_data(), gradient.into_data())
}

/// Output and gradient in place are those of the layer itself, to the bit; and nothing was copied.
pub fn assert_same_bits<A: InplaceActivation>(activation: &A, x: &[f64], cotangent: &[f64]) {
    let (x, cotangent) = (TensorData::from(x), TensorData::from(cotangent));
    for dtype in DTYPES {
        for strategy in [
            GradientCheckpointingStrategy::Disabled,
            GradientCheckpointingStrategy::Balanced,
        ] {
            let run = |f: &dyn Fn(Tensor<1>) -> Tensor<1>| {
                output_and_gradient(&x, &cotangent, dtype, strategy, f)
            };
            let plain = run(&|x| activation.forward(x));
            let (inplace, copies) = counting(|| run(&|x| remat::inplace(activation, x)));
            assert_eq!(copies, 0);
            let of = |what: &str| format!("{what} in {dtype:?}, {strategy:?}, at {x}");
            assert_eq!(bits(&inplace.0), bits(&plain.0), "{}", of("output"));
            assert_eq!(bits(&inplace.1), bits(&plain.1), "{}", of("gradient"));
        }
    }
}
