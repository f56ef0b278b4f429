//! The buffer of a layer in place is really used again.

use super::support::{Cost, alone, cost, cost_on, device, left_by};
use burn::nn::activation::{CeluConfig, EluConfig, HardSigmoidConfig, HardtanhConfig};
use burn::nn::activation::{LeakyReluConfig, Relu6, Selu};
use burn::nn::{Linear, LinearConfig, Relu, Sigmoid, Tanh};
use burn::tensor::{DType, Tensor};
use remat::InplaceActivation;
use remat::inplace::copies;
use remat::nn::{DropoutConfig, LogSoftmax, Scale, Softmax};

const ELEMENTS: usize = 1 << 18;
const DTYPES: [DType; 4] = [DType::F32, DType::F64, DType::F16, DType::BF16];

/// In buffers of the input.
fn of_call<A: InplaceActivation>(
    activation: &A,
    dtype: DType,
    call: impl Fn(&A, Tensor<1>) -> Tensor<1>,
) -> Cost {
    let input = || Tensor::<1>::ones([ELEMENTS], (&device(), dtype)).require_grad() * 0.5;
    cost_on(input, |x| call(activation, x)).per(ELEMENTS * dtype.size())
}

/// What `work` returns; of its inputs, none was copied.
fn without_copies<R>(work: impl FnOnce() -> R) -> R {
    let before = copies();
    let result = work();
    assert_eq!(copies(), before);
    result
}

fn assert_reuses_its_input<A: InplaceActivation>(activation: &A) {
    for dtype in DTYPES {
        let cost = without_copies(|| of_call(activation, dtype, remat::inplace));
        assert!(cost.retained < 0.05, "{dtype:?}: {cost:?}");
        assert!(cost.peak < 0.05, "{dtype:?}: {cost:?}");
    }
}

#[test]
fn relu_writes_into_its_input() {
    alone(|| {
        assert_reuses_its_input(&Relu::new());
        // Which burn's own does not.
        let plain = of_call(&Relu::new(), DType::F32, Relu::forward);
        assert!(plain.retained > 0.95, "{plain:?}");
    });
}

#[test]
fn sigmoid_writes_into_its_input() {
    alone(|| {
        assert_reuses_its_input(&Sigmoid::new());
    });
}

#[test]
fn tanh_writes_into_its_input() {
    alone(|| {
        assert_reuses_its_input(&Tanh::new());
    });
}

#[test]
fn dropout_writes_into_its_input() {
    alone(|| {
        assert_reuses_its_input(&DropoutConfig::new(0.5).init());
    });
}

#[test]
fn softmax_writes_into_its_input() {
    const SIDE: usize = 512;
    alone(|| {
        let input = || Tensor::<2>::ones([SIDE, SIDE], &device()).require_grad() * 0.5;
        let retained = |call: &dyn Fn(Tensor<2>) -> Tensor<2>| {
            cost_on(input, call).per(SIDE * SIDE * 4).retained
        };
        for (in_place, plain, more) in [
            (
                retained(&|x| remat::inplace(&Softmax::new(1), x)),
                retained(&|x| Softmax::new(1).forward(x)),
                1.9,
            ),
            (
                retained(&|x| remat::inplace(&LogSoftmax::new(-1), x)),
                retained(&|x| LogSoftmax::new(-1).forward(x)),
                0.9,
            ),
        ] {
            assert!(in_place < 0.05, "{in_place}");
            assert!(plain > more, "{plain}");
        }
    });
}

/// What a layer keeps in place and as plain burn, in bytes an element.
fn kept<A: InplaceActivation>(activation: &A, dtype: DType) -> (f64, f64) {
    let bytes = |call: fn(&A, Tensor<1>) -> Tensor<1>| {
        of_call(activation, dtype, call).retained * dtype.size() as f64
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
    let cost = without_copies(|| of_call(activation, DType::F32, remat::inplace));
    assert!(cost.peak < 0.1, "{cost:?}");
}

#[test]
fn layers_with_limits_keep_a_bit_an_element() {
    alone(|| {
        assert_keeps_bits(&LeakyReluConfig::new().init(), 1.0);
        assert_keeps_bits(&Relu6::new(), 2.0);
        assert_keeps_bits(&HardtanhConfig::new().init(), 2.0);
        assert_keeps_bits(&HardSigmoidConfig::new().init(), 2.0);
    });
}

/// burn keeps the exponential, too.
#[test]
fn layers_with_an_exponential_keep_their_output() {
    alone(|| {
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
    });
}

/// Why there is nothing to be had of a product with a number.
#[test]
fn burn_keeps_nothing_of_a_scaling() {
    alone(|| {
        let scale = Scale::new(2.0);
        assert_reuses_its_input(&scale);
        let plain = of_call(&scale, DType::F32, Scale::forward);
        assert!(plain.retained < 0.05 && plain.peak < 0.05, "{plain:?}");
    });
}

fn layers(count: usize, width: usize) -> Vec<Linear> {
    let layer = |_| LinearConfig::new(width, width).init(&device());
    (0..count).map(layer).collect()
}

fn forward(layers: &[Linear], x: Tensor<2>) -> Tensor<2> {
    layers
        .iter()
        .fold(x, |x, layer| remat::inplace(&Relu::new(), layer.forward(x)))
}

/// Plain burn keeps the input of each activation and its output, which the next layer needs.
#[test]
fn a_network_keeps_half() {
    alone(|| {
        let layers = layers(8, 64);
        let x = Tensor::<2>::ones([256, 64], &device());
        let forward = || forward(&layers, x.clone());
        let inplace = without_copies(|| cost(forward)).retained;
        let plain = cost(|| remat::without_strategies(forward)).retained;
        assert!(inplace < plain * 0.55, "{inplace} of {plain}");
    });
}

/// C26, and C35: a forward pass whose backward never runs.
#[test]
fn steps_end_where_they_began() {
    alone(|| {
        let layers = layers(4, 32);
        let forward = || forward(&layers, Tensor::ones([64, 32], &device()));
        let step = || {
            drop(forward());
            drop(forward().sum().backward());
        };
        assert_eq!(left_by(step), 0);
    });
}
