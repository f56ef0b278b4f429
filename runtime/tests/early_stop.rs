//! The second run of a segment without its tail: the same gradients, one product less.
//!
//! In a process of its own, where the outputs' values are not compared: a comparison needs them.

use burn::module::Module;
use burn::nn::{Dropout, DropoutConfig, Gelu, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::{Device, FloatDType, Tensor};
use remat::{
    Checkpoint, Segments, TailLayer, checkpoint_early_stop, checkpoint_sequence_early_stop, pass,
    returned, tail,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use support::{assert_as_plain, assert_same, loss, numbers};

#[allow(dead_code, reason = "it also holds what only other tests need")]
#[path = "checkpoint/support.rs"]
mod support;

const D: usize = 4;

/// Dropout draws from a generator of the process: one test at a time. No comparison of values.
fn alone() -> (Device, MutexGuard<'static, ()>) {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: every test of this binary waits for its turn first, so no other thread reads the environment.
    unsafe { std::env::set_var("REMAT_CHECK", "0") };
    (support::device(), turn)
}

/// A linear layer that counts the products of its forward.
#[derive(Module, Debug)]
struct Counted {
    linear: Linear,
    #[module(skip)]
    products: Arc<AtomicUsize>,
}

impl Counted {
    fn new(d_input: usize, d_output: usize, device: &Device) -> Self {
        let linear = LinearConfig::new(d_input, d_output).init(device);
        Self {
            linear,
            products: Arc::default(),
        }
    }

    fn forward<const R: usize>(&self, x: Tensor<R>) -> Tensor<R> {
        self.products.fetch_add(1, Ordering::Relaxed);
        self.linear.forward(x)
    }

    fn take(&self) -> usize {
        self.products.swap(0, Ordering::Relaxed)
    }
}

impl<const R: usize> TailLayer<Tensor<R>, R> for Counted {
    fn without_value(&self, input: Tensor<R>) -> Tensor<R> {
        self.linear.without_value(input)
    }
}

/// norm → matmul → Gelu → matmul, added to its input.
#[derive(Module, Debug)]
struct Block {
    norm: LayerNorm,
    up: Counted,
    gelu: Gelu,
    down: Counted,
    dropout: Dropout,
}

impl Block {
    fn new(device: &Device) -> Self {
        Self {
            norm: LayerNormConfig::new(D).init(device),
            up: Counted::new(D, 2 * D, device),
            gelu: Gelu::new(),
            down: Counted::new(2 * D, D, device),
            dropout: DropoutConfig::new(0.0).init(),
        }
    }

    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self.down.forward(self.hidden(x.clone()));
        x + self.dropout.forward(h)
    }

    fn forward_without_tail(&self, x: Tensor<2>) -> Tensor<2> {
        let h = tail(&self.down, self.hidden(x.clone()));
        returned(x + pass(&self.dropout, h))
    }

    fn hidden(&self, x: Tensor<2>) -> Tensor<2> {
        self.gelu.forward(self.up.forward(self.norm.forward(x)))
    }

    fn checkpointed(&self, x: Tensor<2>) -> Tensor<2> {
        checkpoint_early_stop(
            Checkpoint::named("Net.block"),
            self,
            (x,),
            |block: &Self, (x,)| block.forward(x),
            |block, (x,)| block.forward_without_tail(x),
        )
    }
}

fn sequence(blocks: &[Block], segments: Segments, x: Tensor<2>) -> Tensor<2> {
    checkpoint_sequence_early_stop(
        Checkpoint::named("Net.blocks").segments(segments),
        blocks,
        x,
        (),
        |_, block: &Block, x, ()| block.forward(x),
        |_, block, x, ()| block.forward_without_tail(x),
    )
}

#[test]
fn c27_the_last_product_is_not_computed_again() {
    let (device, _turn) = alone();
    let block = Block::new(&device);
    let x = numbers([3, D], &device);
    let y = block.checkpointed(x.clone());
    assert_eq!((block.up.take(), block.down.take()), (1, 1), "forward");
    let _ = y.sum().backward();
    assert_eq!((block.up.take(), block.down.take()), (1, 0), "again");

    let y = remat::checkpoint(&block, (x,), |block, (x,)| block.forward(x));
    let _ = y.sum().backward();
    assert_eq!(
        (block.up.take(), block.down.take()),
        (2, 2),
        "without early stop"
    );
}

/// Only the last layer of a segment gives values that nobody reads.
#[test]
fn a_segment_of_several_layers_has_one_tail() {
    let (device, _turn) = alone();
    for (segments, expected) in [
        (Segments::every(2), [1, 0, 1, 0]),
        (Segments::every(3), [1, 1, 0, 0]),
        (Segments::every(3).keep_last(), [1, 1, 0, 0]),
        // 2, 1, 1; the first two again as a segment of one and the end of the segment around.
        (Segments::recursive(), [1, 0, 0, 0]),
    ] {
        let blocks: Vec<Block> = (0..4).map(|_| Block::new(&device)).collect();
        let y = sequence(&blocks, segments, numbers([3, D], &device));
        for block in &blocks {
            assert_eq!(block.down.take(), 1, "forward of {segments:?}");
        }
        let _ = y.sum().backward();
        let again: Vec<_> = blocks.iter().map(|block| block.down.take()).collect();
        assert_eq!(again, expected, "{segments:?}");
    }
}

#[test]
fn gradients_are_those_of_plain_burn() {
    let (device, _turn) = alone();
    for tracked in [false, true] {
        let x = numbers([3, D], &device).set_require_grad(tracked);
        let blocks: Vec<Block> = (0..5).map(|_| Block::new(&device)).collect();
        assert_as_plain(&blocks, |blocks| {
            let y = blocks.iter().fold(x.clone(), |x, b| b.checkpointed(x));
            loss(y)
        });
        for segments in [
            Segments::every(1),
            Segments::every(2),
            Segments::sqrt(),
            Segments::recursive(),
        ] {
            assert_as_plain(&blocks, |blocks| {
                loss(sequence(blocks, segments, x.clone()))
            });
        }
    }
}

/// Every shape that a linear layer takes, with and without bias, frozen or not.
#[test]
fn a_linear_tail_has_burns_gradients() {
    fn check<const R: usize>(linear: &Linear, x: &Tensor<R>) {
        let run = |y: Tensor<R>| {
            let grads = (y * 3.0).sum().backward();
            let weight = linear.weight.val().grad(&grads);
            let bias = linear.bias.as_ref().and_then(|b| b.val().grad(&grads));
            [
                weight.map(Tensor::into_data),
                bias.map(Tensor::into_data),
                x.grad(&grads).map(Tensor::into_data),
            ]
        };
        let without = returned(tail(linear, x.clone()));
        let with = linear.forward(x.clone());
        assert_eq!(without.dims(), with.dims());
        assert_eq!(without.is_tracked(), with.is_tracked());
        if with.is_tracked() {
            support::assert_all_same(&run(without), &run(with));
        }
    }

    let (device, _turn) = alone();
    for bias in [false, true] {
        let linear: Linear = LinearConfig::new(D, 3).with_bias(bias).init(&device);
        let frozen = linear.clone().no_grad();
        for linear in [linear, frozen] {
            for tracked in [false, true] {
                check(&linear, &numbers([D], &device).set_require_grad(tracked));
                check(&linear, &numbers([5, D], &device).set_require_grad(tracked));
                check(
                    &linear,
                    &numbers([2, 5, D], &device).set_require_grad(tracked),
                );
                check(
                    &linear,
                    &numbers([2, 32, D], &device).set_require_grad(tracked),
                );
                check(
                    &linear,
                    &numbers([40, 1, D], &device).set_require_grad(tracked),
                );
                check(
                    &linear,
                    &numbers([2, 3, 32, D], &device).set_require_grad(tracked),
                );
                check(
                    &linear,
                    &numbers([2, 1, 5, D], &device).set_require_grad(tracked),
                );
                check(
                    &linear,
                    &numbers([1, 1, 1, D], &device).set_require_grad(tracked),
                );
            }
        }
    }
}

/// A tail in half precision has the dtype of its input.
#[test]
fn half_precision() {
    let (device, _turn) = alone();
    if !device.supports_dtype(FloatDType::F16) {
        return;
    }
    let x = numbers([3, D], &device).cast(FloatDType::F16);
    let linear: Linear = LinearConfig::new(D, 2).with_bias(false).init(&device);
    let half = |weight: Tensor<2>| weight.cast(FloatDType::F16).detach().require_grad();
    let weight = linear.weight.map(half);
    let linear = Linear { weight, bias: None };
    let y = returned(tail(&linear, x.clone()));
    assert_eq!(y.dtype(), x.dtype());
    let gradient = |y: Tensor<2>| {
        let grads = y.sum().backward();
        linear.weight.val().grad(&grads).unwrap().into_data()
    };
    assert_same(&gradient(y), &gradient(linear.forward(x)));
}

/// The mask behind the tail is that of the forward, although the value in front of it is not there.
#[test]
fn dropout_behind_the_tail() {
    let (device, _turn) = alone();
    let mut block = Block::new(&device);
    block.dropout = DropoutConfig::new(0.5).init();
    let x = numbers([64, D], &device);
    let _ = block.forward(x.clone()); // a parameter is drawn when it is first used
    let gradient = |y: Tensor<2>| {
        let bias = block.down.linear.bias.as_ref().unwrap().val();
        bias.grad(&y.sum().backward()).unwrap().into_data()
    };
    let seeded = |forward: fn(&Block, Tensor<2>) -> Tensor<2>| {
        device.seed(5);
        gradient(forward(&block, x.clone()))
    };
    let full = seeded(|block, x| remat::checkpoint(block, (x,), |block, (x,)| block.forward(x)));
    assert_same(&seeded(Block::checkpointed), &full);
}

/// A value that was left out shows where it is read.
#[test]
fn a_value_that_is_read_is_nan() {
    let (device, _turn) = alone();
    let block = Block::new(&device);
    let y = block.forward_without_tail(numbers([3, D], &device));
    assert!(y.is_nan().all().into_scalar::<bool>());
}

/// What the macros write.
mod annotated {
    use super::*;
    use remat::Remat;

    #[derive(Module, Debug, Remat)]
    struct Tailed {
        norm: LayerNorm,
        up: Counted,
        gelu: Gelu,
        #[remat(tail)]
        down: Counted,
        dropout: Dropout,
        gain: f64,
    }

    #[remat::forward]
    impl Tailed {
        fn forward(&self, x: Tensor<2>, scale: f32) -> Tensor<2> {
            let h = self.up.forward(self.norm.forward(x.clone()));
            let [rows, _] = x.dims();
            if rows == 0 {
                return x;
            }
            let h = self.down.forward(self.gelu.forward(h));
            let h = h.reshape([1, rows, D]).swap_dims(0, 1) * self.gain;
            x * scale + self.dropout.forward(h.reshape([rows, D])) / 2.0
        }
    }

    #[derive(Module, Debug, Remat)]
    struct Stack {
        #[checkpoint(early_stop)]
        single: Option<Tailed>,
        #[checkpoint(every = 2, early_stop)]
        groups: Vec<Tailed>,
    }

    #[remat::forward]
    impl Stack {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            let scale = 0.5;
            let mut x = match &self.single {
                Some(block) => block.forward(x, scale),
                None => x,
            };
            for block in &self.groups {
                x = block.forward(x, scale);
            }
            self.groups
                .iter()
                .fold(x, |x, block| block.forward(x, scale))
        }
    }

    #[test]
    fn c27_annotated() {
        let (device, _turn) = alone();
        let block = || Tailed {
            norm: LayerNormConfig::new(D).init(&device),
            up: Counted::new(D, 2 * D, &device),
            gelu: Gelu::new(),
            down: Counted::new(2 * D, D, &device),
            dropout: DropoutConfig::new(0.0).init(),
            gain: 0.25,
        };
        let stack = Stack {
            single: Some(block()),
            groups: (0..3).map(|_| block()).collect(),
        };
        let x = numbers([3, D], &device);
        let _ = stack.forward(x.clone()).sum().backward();
        let single = stack.single.as_ref().unwrap();
        assert_eq!((single.up.take(), single.down.take()), (2, 1));
        // Two loops: forward, and again but for the last of a group.
        let downs: Vec<_> = stack.groups.iter().map(|block| block.down.take()).collect();
        assert_eq!(downs, [4, 2, 2]);
        let ups: Vec<_> = stack.groups.iter().map(|block| block.up.take()).collect();
        assert_eq!(ups, [4, 4, 4]);

        let grads = |stack: &Stack| support::run(stack, |stack| loss(stack.forward(x.clone()))).1;
        let plain = remat::without_strategies(|| grads(&stack));
        for (gradient, plain) in grads(&stack).iter().flatten().zip(plain.iter().flatten()) {
            let tolerance = burn::tensor::Tolerance::<f32>::rel_abs(1e-5, 1e-6);
            gradient.assert_approx_eq(plain, tolerance);
        }
    }
}
