//! The buffer is really used again.

use super::models::Mlp;
use super::support::{DTYPES, counting, device, turn};
use burn::nn::activation::{CeluConfig, EluConfig, HardSigmoidConfig, HardtanhConfig};
use burn::nn::activation::{LeakyReluConfig, Relu6, Selu};
use burn::nn::{Relu, Sigmoid, Tanh};
use burn::tensor::{DType, Tensor};
use remat::InplaceActivation;
use remat::memory::{live_bytes, measure};
use remat::nn::{DropoutConfig, LogSoftmax, Scale, Softmax};

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
    for dtype in DTYPES {
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
    let buffer = f64::from(512 * 512 * 4);
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

/// What a layer keeps in place and as plain burn, in bytes an element.
fn kept<A: InplaceActivation>(activation: &A, dtype: DType) -> (f64, f64) {
    let bytes = |call: fn(&A, Tensor<1>) -> Tensor<1>| {
        cost(activation, dtype, call).0 * dtype.size() as f64
    };
    (bytes(remat::inplace), bytes(A::forward))
}

/// A bit an element, where burn keeps a mask of one byte for each limit; and no second buffer in between.
fn assert_keeps_bits<A: InplaceActivation>(activation: &A, limits: f64) {
    for dtype in DTYPES {
        let (inplace, plain) = kept(activation, dtype);
        assert!(
            (0.125..0.15).contains(&inplace),
            "{dtype:?}: {inplace} bytes"
        );
        assert!(
            (limits..limits + 0.1).contains(&plain),
            "{dtype:?}: {plain}"
        );
    }
    let ((_, peak), copies) = counting(|| cost(activation, DType::F32, remat::inplace));
    assert!(peak < 0.1, "a peak of {peak} more");
    assert_eq!(copies, 0);
}

#[test]
fn layers_with_limits_keep_a_bit_an_element() {
    let _turn = turn();
    assert_keeps_bits(&LeakyReluConfig::new().init(), 1.0);
    assert_keeps_bits(&Relu6::new(), 2.0);
    assert_keeps_bits(&HardtanhConfig::new().init(), 2.0);
    assert_keeps_bits(&HardSigmoidConfig::new().init(), 2.0);
}

/// burn keeps the exponential, too.
#[test]
fn layers_with_an_exponential_keep_their_output() {
    let _turn = turn();
    let negative = EluConfig::new().with_alpha(-1.0).init();
    for dtype in DTYPES {
        let size = dtype.size() as f64;
        for (most, (inplace, plain)) in [
            (0.02, kept(&EluConfig::new().init(), dtype)),
            (0.02, kept(&CeluConfig::new().init(), dtype)),
            (0.15, kept(&Selu::new(), dtype)),
            (0.15, kept(&negative, dtype)),
        ] {
            assert!(inplace < most, "{dtype:?}: {inplace} bytes");
            assert!(plain > size + 0.95, "{dtype:?}: {plain} bytes");
        }
    }
}

/// Why there is nothing to be had of a product with a number.
#[test]
fn burn_keeps_nothing_of_a_scaling() {
    let _turn = turn();
    let scale = Scale::new(2.0);
    assert_reuses_its_input(&scale);
    let (retained, peak) = cost(&scale, DType::F32, Scale::forward);
    assert!(retained < 0.05, "{retained}");
    assert!(peak < 0.05, "{peak}");
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
