//! What is shared is copied, with the same result, and counted.

use super::support::{counting, device, turn};
use burn::nn::{Linear, LinearConfig, Relu, Tanh};
use burn::tensor::{Tensor, TensorData};
use log::{LevelFilter, Log, Metadata, Record};
use remat::nn::DropoutConfig;
use remat::{Inplace, inplace, inplace_with};
use std::sync::Mutex;

const VALUES: [f32; 4] = [-1.0, 2.0, -3.0, 4.0];

/// Something that keeps nothing of what it gives, of a leaf.
fn leaf_and_value() -> (Tensor<1>, Tensor<1>) {
    let leaf = Tensor::<1>::from_floats(VALUES, &device()).require_grad();
    (leaf.clone(), leaf * 1.0)
}

/// Output and gradient of the leaf.
fn run(f: impl FnOnce(Tensor<1>) -> Tensor<1>) -> (TensorData, TensorData) {
    let (leaf, x) = leaf_and_value();
    let y = f(x);
    let gradient = leaf.grad(&y.clone().sum().backward()).unwrap();
    (y.into_data(), gradient.into_data())
}

#[test]
fn a_clone_is_copied_and_stays_as_it_was() {
    let _turn = turn();
    let ((), copies) = counting(|| {
        let (_, x) = leaf_and_value();
        let y = inplace(&Relu::new(), x.clone());
        assert_eq!(x.to_data(), TensorData::from(VALUES));
        assert_eq!(y.into_data(), TensorData::from([0.0_f32, 2.0, 0.0, 4.0]));
    });
    assert_eq!(copies, 1);
}

/// I01: burn adds out of place what somebody holds, so the output that the gradient needs stays as it is.
#[test]
fn i01_a_residual_after_the_activation() {
    let _turn = turn();
    let block = |relu: fn(Tensor<1>) -> Tensor<1>| {
        run(|x| {
            let shortcut = x.clone() * 0.5;
            relu(x) + shortcut
        })
    };
    let (inplace, copies) = counting(|| block(|x| inplace(&Relu::new(), x)));
    assert_eq!(inplace, block(|x| Relu::new().forward(x)));
    assert_eq!(copies, 0);
}

/// I02: the second would overwrite what the first keeps. Where the first keeps nothing, it does not matter.
#[test]
fn i02_one_after_the_other() {
    let _turn = turn();
    let (relu, tanh) = (Relu::new(), Tanh::new());
    let twice = |x| inplace(&tanh, inplace(&relu, x));
    let (both, copies) = counting(|| run(twice));
    assert_eq!(both, remat::without_strategies(|| run(twice)));
    assert_eq!(copies, 1);

    let dropout = DropoutConfig::new(0.5).init();
    let ((), copies) = counting(|| {
        let _ = run(|x| inplace(&relu, inplace(&dropout, x)));
    });
    assert_eq!(copies, 0);
    let ((), copies) = counting(|| {
        let _ = run(|x| inplace(&dropout, inplace(&relu, x)));
    });
    assert_eq!(copies, 1);
}

/// I04: whoever made the leaf holds it.
#[test]
fn i04_a_leaf_is_not_overwritten() {
    let _turn = turn();
    let leaf = Tensor::<1>::from_floats(VALUES, &device()).require_grad();
    let (y, copies) = counting(|| inplace(&Relu::new(), leaf.clone()));
    assert_eq!(copies, 1);
    assert_eq!(leaf.to_data(), TensorData::from(VALUES));
    let gradient = leaf.grad(&y.sum().backward()).unwrap();
    assert_eq!(
        gradient.into_data(),
        TensorData::from([0.0_f32, 1.0, 0.0, 1.0])
    );
}

/// What a layer keeps of its input is not overwritten.
#[test]
fn a_value_that_another_layer_keeps() {
    let _turn = turn();
    let device = device();
    let linear = |width| -> Linear { LinearConfig::new(4, width).init(&device) };
    let (up, side) = (linear(4), linear(3));
    let x = Tensor::<2>::ones([2, 4], &device);
    let step = |activation: fn(Tensor<2>) -> Tensor<2>| {
        let h = up.forward(x.clone());
        let kept = side.forward(h.clone());
        let y = activation(h).sum() + kept.sum();
        let grads = y.backward();
        let gradient = side.weight.val().grad(&grads).unwrap();
        (y.into_data(), gradient.into_data())
    };
    let (ours, copies) = counting(|| step(|h| inplace(&Relu::new(), h)));
    assert_eq!(ours, step(|h| Relu::new().forward(h)));
    assert_eq!(copies, 1);
}

/// C23: a part of a buffer that somebody holds, and a view of one that nobody does.
#[test]
fn c23_views() {
    let _turn = turn();
    let slice = |relu: fn(Tensor<1>) -> Tensor<1>| run(|x| relu((x + 1.0).slice(1..4)));
    let reshaped = |relu: fn(Tensor<2>) -> Tensor<2>| {
        run(|x| relu(x.reshape([2, 2]).swap_dims(0, 1)).flatten(0, 1))
    };
    assert_eq!(
        slice(|x| inplace(&Relu::new(), x)),
        slice(|x| Relu::new().forward(x))
    );
    assert_eq!(
        reshaped(|x| inplace(&Relu::new(), x)),
        reshaped(|x| Relu::new().forward(x))
    );
}

/// The lines of the log.
struct Lines(Mutex<Vec<String>>);

static LINES: Lines = Lines(Mutex::new(Vec::new()));

impl Log for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        if record.target().starts_with("remat") {
            self.0.lock().unwrap().push(record.args().to_string());
        }
    }

    fn flush(&self) {}
}

#[test]
fn the_log_names_the_field() {
    let _turn = turn();
    log::set_logger(&LINES).unwrap();
    log::set_max_level(LevelFilter::Debug);
    let (_, x) = leaf_and_value();
    let relu = Inplace::named("Block.relu");
    let _ = inplace_with(relu, &Relu::new(), x.clone());
    drop(inplace_with(relu, &Relu::new(), x));
    log::set_max_level(LevelFilter::Off);
    let lines = std::mem::take(&mut *LINES.0.lock().unwrap());
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("`Block.relu` (burn"), "{lines:?}");
}
