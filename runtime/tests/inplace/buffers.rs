//! The buffer is really used again.

use super::models::Mlp;
use super::support::{counting, device, turn};
use burn::nn::activation::{HardtanhConfig, Relu6};
use burn::nn::{HardSigmoidConfig, LeakyReluConfig, Relu, Sigmoid, Tanh};
use burn::tensor::{DType, Tensor};
use remat::InplaceActivation;
use remat::memory::{live_bytes, measure};
use remat::nn::{DropoutConfig, LogSoftmax, Softmax};

const ELEMENTS: usize = 1 << 18;

/// What stays of a call and the most that it held, in buffers of its input.
fn cost<A: InplaceActivation>(
    activation: &A,
    dtype: DType,
    call: impl Fn(&A, Tensor<1>) -> Tensor<1>,
) -> (f64, f64) {
    let device = device();
    let buffer = (ELEMENTS * dtype.size()) as f64;
    let input = || Tensor::<1>::ones([ELEMENTS], (&device, dtype)).require_grad() * 0.5;
    drop(call(activation, input()));
    let measured = (0..3).map(|_| {
        let x = input();
        let (y, report) = measure(&device, || call(activation, x));
        drop(y);
        let (retained, peak) = (report.retained().unwrap(), report.peak().unwrap());
        (retained as f64 / buffer, peak as f64 / buffer)
    });
    highest(measured)
}

/// Of several measurements: the thread of the test before may still free what it had.
fn highest(measured: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    measured.fold((f64::MIN, f64::MIN), |(retained, peak), one| {
        (retained.max(one.0), peak.max(one.1))
    })
}

fn assert_reuses_its_input<A: InplaceActivation>(activation: &A) {
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
        let ((retained, peak), copies) = counting(|| cost(activation, dtype, remat::inplace));
        assert!(retained < 0.05, "{dtype:?}: {retained} more");
        assert!(peak < 0.05, "{dtype:?}: a peak of {peak} more");
        assert_eq!(copies, 0);
    }
}

#[test]
fn relu_writes_into_its_input() {
    let _turn = turn();
    assert_reuses_its_input(&Relu::new());
    // Which burn's own does not.
    let (retained, _) = cost(&Relu::new(), DType::F32, Relu::forward);
    assert!(retained > 0.95, "{retained}");
}

#[test]
fn sigmoid_writes_into_its_input() {
    let _turn = turn();
    assert_reuses_its_input(&Sigmoid::new());
}

#[test]
fn tanh_writes_into_its_input() {
    let _turn = turn();
    assert_reuses_its_input(&Tanh::new());
}

#[test]
fn dropout_writes_into_its_input() {
    let _turn = turn();
    assert_reuses_its_input(&DropoutConfig::new(0.5).init());
}

#[test]
fn softmax_writes_into_its_input() {
    let _turn = turn();
    let device = device();
    let input = || Tensor::<2>::ones([512, 512], &device).require_grad() * 0.5;
    let buffer = (512 * 512 * 4) as f64;
    let cost = |call: &dyn Fn(Tensor<2>) -> Tensor<2>| {
        let _ = call(input()).sum().backward();
        let measured = (0..3).map(|_| {
            let x = input();
            let (y, report) = measure(&device, || call(x));
            let _ = y.sum().backward();
            report.retained().unwrap() as f64 / buffer
        });
        measured.fold(f64::NEG_INFINITY, f64::max)
    };
    for (in_place, plain, more) in [
        (
            cost(&|x| remat::inplace(&Softmax::new(1), x)),
            cost(&|x| Softmax::new(1).forward(x)),
            1.9,
        ),
        (
            cost(&|x| remat::inplace(&LogSoftmax::new(-1), x)),
            cost(&|x| LogSoftmax::new(-1).forward(x)),
            0.9,
        ),
    ] {
        assert!(in_place < 0.05, "{in_place}");
        assert!(plain > more, "{plain}");
    }
}

/// Why the layers are not in the table that burn keeps little of anyway.
#[test]
fn what_burn_keeps_of_others_is_a_mask() {
    let _turn = turn();
    let retained =
        |call: &dyn Fn(Tensor<1>) -> Tensor<1>| cost(&Relu::new(), DType::F32, |_, x| call(x)).0;
    let (leaky, limited) = (LeakyReluConfig::new().init(), HardtanhConfig::new().init());
    let sigmoid = HardSigmoidConfig::new().init();
    for (name, retained) in [
        ("LeakyRelu", retained(&|x| leaky.forward(x))),
        ("Hardtanh", retained(&|x| limited.forward(x))),
        ("HardSigmoid", retained(&|x| sigmoid.forward(x))),
        ("Relu6", retained(&|x| Relu6::new().forward(x))),
        ("scaling", retained(&|x| x * 2.0)),
    ] {
        assert!(retained < 0.55, "{name}: {retained}");
    }
}

/// Plain burn keeps the input of each activation and its output, which the next layer needs.
#[test]
fn a_network_keeps_half() {
    let _turn = turn();
    let device = device();
    let model = Mlp::new(8, 64, &device);
    let x = Tensor::<2>::ones([256, 64], &device);
    let _ = model.forward(x.clone()).sum().backward();
    let retained = |forward: &dyn Fn() -> Tensor<2>| {
        let measured = (0..3).map(|_| {
            let (y, report) = measure(&device, forward);
            let _ = y.sum().backward();
            (report.retained().unwrap() as f64, 0.0)
        });
        highest(measured).0
    };
    let (inplace, copies) = counting(|| retained(&|| model.forward(x.clone())));
    let plain = retained(&|| remat::without_strategies(|| model.forward(x.clone())));
    assert_eq!(copies, 0);
    assert!(inplace < plain * 0.55, "{inplace} of {plain}");
}

/// The bytes are compared with the fewest of the first steps, and need not be equal: the thread of the test before may
/// still free what it had, and that of the next one starts.
#[test]
fn c26_many_steps_end_where_they_began() {
    const SLACK: usize = 4096;
    let _turn = turn();
    let device = device();
    let model = Mlp::new(4, 32, &device);
    let forward = || model.forward(Tensor::ones([64, 32], &device));
    let live = || {
        // C35: a forward pass whose backward never runs.
        drop(forward());
        drop(forward().sum().backward());
        live_bytes().unwrap()
    };
    let before = (0..50).map(|_| live()).min().unwrap();
    let after = (0..200).fold(before, |_, _| live());
    assert!(after < before + SLACK, "{after}, from {before}");
}
