//! `#[inplace]`: what the analysis accepts is overwritten, and nothing of it is copied.

mod branches;
mod loops;
mod numbers;
mod own;
mod values;

use crate::support::{assert_all_same, assert_same, gradients, loss, numbers};
use burn::module::{Module, Param};
use burn::nn::activation::{Hardtanh, HardtanhConfig, LeakyRelu, LeakyReluConfig};
use burn::nn::{LayerNorm, LayerNormConfig, Linear, LinearConfig, Relu, Sigmoid, Tanh};
use burn::tensor::{Tensor, TensorData};
use remat::Remat;
use remat::inplace::copies;
use remat::nn::{Dropout, DropoutConfig};
use std::sync::{Mutex, PoisonError};

const WIDTH: usize = 6;

#[derive(Module, Debug, Remat)]
pub struct Net {
    linear: Linear,
    layers: Vec<Linear>,
    #[inplace]
    relu: Relu,
    #[inplace]
    sigmoid: Sigmoid,
    #[inplace]
    tanh: Tanh,
    #[inplace]
    dropout: Dropout,
    #[inplace]
    leaky: LeakyRelu,
    #[inplace]
    limited: Hardtanh,
    #[inplace]
    several: Vec<Relu>,
    #[inplace]
    maybe: Option<Relu>,
    #[checkpoint]
    f: Linear,
    #[quantize(bits = 8)]
    q: Linear,
    #[recompute(cheap)]
    norm: LayerNorm,
    bias: Param<Tensor<1>>,
    #[module(skip)]
    scale: f64,
}

type Program = fn(&Net, Tensor<2>, Tensor<2>, bool) -> Tensor<2>;

impl Net {
    fn new() -> Self {
        let device = crate::support::device();
        let linear = || LinearConfig::new(WIDTH, WIDTH).init(&device);
        Self {
            linear: linear(),
            layers: vec![linear(), linear(), linear()],
            relu: Relu::new(),
            sigmoid: Sigmoid::new(),
            tanh: Tanh::new(),
            dropout: DropoutConfig::new(0.0).init(),
            leaky: LeakyReluConfig::new().init(),
            limited: HardtanhConfig::new().init(),
            several: vec![Relu::new(), Relu::new(), Relu::new()],
            maybe: Some(Relu::new()),
            f: linear(),
            q: linear(),
            norm: LayerNormConfig::new(WIDTH).init(&device),
            bias: Param::from_tensor(numbers([WIDTH], &device)),
            scale: 0.5,
        }
    }
}

/// The number of copies is that of the whole process.
static TURN: Mutex<()> = Mutex::new(());

/// Runs a program with `#[inplace]` and as plain burn, on both of its ways: loss and gradients are equal, and every layer
/// in place had its input for itself.
fn check(program: Program) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for deep in [false, true] {
        let net = Net::new();
        let before = copies();
        let inplace = run(&net, program, deep);
        let copied = copies() - before;
        let plain = remat::without_strategies(|| run(&net, program, deep));
        assert_same(&inplace.0, &plain.0);
        assert_all_same(&inplace.1, &plain.1);
        if !cfg!(cube) {
            assert_eq!(copied, 0, "deep: {deep}");
        }
    }
}

/// Loss, and the gradients of the parameters and of both inputs.
fn run(net: &Net, program: Program, deep: bool) -> (TensorData, Vec<Option<TensorData>>) {
    let device = crate::support::device();
    let leaf = |rows| numbers([rows, WIDTH], &device).require_grad();
    let (x, y) = (leaf(3), leaf(3));
    // What a caller hands over is no leaf.
    let output = program(net, x.clone() * 2.0, y.clone() * 3.0, deep);
    let loss = loss(output);
    let mut grads = loss.backward();
    let mut all = gradients(net, &mut grads);
    all.extend([&x, &y].map(|input| input.grad(&grads).map(Tensor::into_data)));
    (loss.into_data(), all)
}

/// The bookkeeping of the test itself: what the analysis would reject is copied.
#[test]
fn a_shared_input_is_copied() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let device = crate::support::device();
    let before = copies();
    let x = numbers([3, WIDTH], &device).require_grad() * 2.0;
    let y = remat::inplace(&Relu::new(), x.clone());
    drop(y + x);
    if !cfg!(cube) {
        assert_eq!(copies() - before, 1);
    }
}

macro_rules! accepted {
    ($($program:ident)*) => {$(
        #[test]
        fn $program() {
            $crate::inplace::check(Net::$program);
        }
    )*};
}
use accepted;
