//! `remat::nn::Dropout`: one mask forward and backward, and nothing kept of it.
//!
//! burn's generators belong to the process, so these tests take turns.

use burn::module::{Module, Param};
use burn::nn::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{DType, Device, Distribution, Tensor};
use remat::nn::{Attention, Dropout, DropoutConfig, MhaInput};
use remat::{
    Checkpoint, Segments, checkpoint, checkpoint_sequence, checkpoint_with, recompute,
    recompute_attention, without_strategies,
};
use std::sync::{Mutex, MutexGuard, PoisonError};

static TURN: Mutex<()> = Mutex::new(());

fn alone() -> (Device, MutexGuard<'static, ()>) {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    (Device::default().autodiff(), turn)
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().iter().collect()
}

fn dropout(prob: f64) -> Dropout {
    DropoutConfig::new(prob).init()
}

fn ones(device: &Device) -> Tensor<1> {
    Tensor::ones([1000], device)
}

/// Output and gradient of a dropout of ones.
fn masks(dropout: &Dropout, device: &Device) -> (Vec<f32>, Vec<f32>) {
    let x = ones(device).require_grad();
    let y = dropout.forward(x.clone());
    let grads = y.clone().sum().backward();
    (values(y), values(x.grad(&grads).unwrap()))
}

#[test]
fn c01_c06_the_backward_uses_the_mask_of_the_forward() {
    let (device, _turn) = alone();
    for (prob, kept) in [(0.5, 2.0), (0.3, 1.0 / 0.7), (0.999, 1000.0)] {
        let (output, gradient) = masks(&dropout(prob), &device);
        assert_eq!(output, gradient, "each 0 or {kept}");
        let zeros = output.iter().filter(|&&y| y == 0.0).count() as f64;
        let sigma = (1000.0 * prob * (1.0 - prob)).sqrt();
        assert!((zeros - 1000.0 * prob).abs() < 4.0 * sigma, "{zeros} zeros");
        let scaled = |y: f32| y == 0.0 || (f64::from(y) - kept).abs() < 1e-3;
        assert!(output.iter().all(|&y| scaled(y)));
    }
}

/// Shapes that are views, other dtypes, and values that 0 does not make 0.
#[test]
fn every_input() {
    let (device, _turn) = alone();
    let layer = dropout(0.5);
    let x = Tensor::<3>::random([4, 6, 8], Distribution::Default, &device).require_grad();
    let view = x.clone().swap_dims(0, 2).slice([1..7, 0..6, 1..3]);
    let y = layer.forward(view.clone());
    let (seen, dropped) = (values(view), values(y.clone()));
    let is = |(x, y): (&f32, &f32)| *y == 0.0 || *y == 2.0 * x;
    assert!(seen.iter().zip(&dropped).all(is));
    // d (sum y^2 / 2) / dx = 2 y where kept.
    let grads = (y.powi_scalar(2).sum() * 0.5).backward();
    let gradient = x
        .grad(&grads)
        .unwrap()
        .swap_dims(0, 2)
        .slice([1..7, 0..6, 1..3]);
    let expected: Vec<f32> = dropped.iter().map(|y| 2.0 * y).collect();
    assert_eq!(values(gradient), expected);

    for dtype in [DType::F64, DType::F16, DType::BF16] {
        if device.supports_dtype(dtype) {
            let y = layer.forward(Tensor::<1>::ones([64], (&device, dtype)));
            assert_eq!(y.dtype(), dtype);
            assert!(values(y).iter().all(|&y| y == 0.0 || y == 2.0));
        }
    }
    let y = layer.forward(ones(&device) * f32::INFINITY);
    assert!(values(y).iter().all(|&y| y == 0.0 || y == f32::INFINITY));
    assert_eq!(
        layer.forward(Tensor::<2>::ones([0, 3], &device)).dims(),
        [0, 3]
    );
}

#[test]
fn where_it_is_not_active() {
    let (device, _turn) = alone();
    let inference = Device::default();
    assert_eq!(
        values(dropout(0.5).forward(ones(&inference))),
        values(ones(&inference))
    );
    assert_eq!(masks(&dropout(0.0), &device).0, values(ones(&device)));
    assert_eq!(
        masks(&dropout(0.5).freeze(), &device).0,
        values(ones(&device))
    );
    // In training mode without a gradient it is active, as burn's.
    let y = dropout(0.5).forward(ones(&device));
    assert!(!y.is_tracked() && y.is_autodiff());
    assert!(values(y).contains(&0.0));
}

#[test]
#[should_panic(expected = "must be in the range [0, 1)")]
fn a_probability_of_one() {
    let _ = dropout(1.0);
}

#[test]
fn a_record_of_burns_dropout_fits() {
    let ours = format!("{}", dropout(0.25)).replace("Dropout", "");
    let burns = format!("{}", burn::nn::DropoutConfig::new(0.25).init()).replace("Dropout", "");
    assert_eq!(ours, burns);
}

type Block = (Linear, Dropout);

fn block((linear, dropout): &Block, x: Tensor<2>) -> Tensor<2> {
    dropout.forward(linear.forward(x)).tanh()
}

fn blocks(device: &Device) -> Vec<Block> {
    let linear = || LinearConfig::new(8, 8).init(device);
    let blocks: Vec<Block> = (0..4).map(|_| (linear(), dropout(0.5))).collect();
    // burn draws the first values of a parameter when it is first used.
    for (linear, _) in &blocks {
        let _ = (linear.weight.val(), linear.bias.as_ref().map(Param::val));
    }
    blocks
}

/// To the bit where the backend's kernels are fixed, else up to what another kernel may round to.
fn assert_same(trace: &[Vec<f32>], plain: &[Vec<f32>], name: &str) {
    if !cfg!(cube) {
        assert_eq!(trace, plain, "{name}");
    }
    for (a, b) in trace.iter().flatten().zip(plain.iter().flatten()) {
        assert!((a - b).abs() < 1e-3, "{name}: {a} {b}");
    }
}

/// Outputs and gradients of three steps after a seed.
fn train(
    blocks: &[Block],
    device: &Device,
    forward: impl Fn(&[Block], Tensor<2>) -> Tensor<2>,
) -> Vec<Vec<f32>> {
    device.seed(5);
    let mut trace = Vec::new();
    for _ in 0..3 {
        let y = forward(blocks, Tensor::ones([4, 8], device));
        let grads = y.clone().sum().backward();
        trace.push(values(y));
        for (linear, _) in blocks {
            trace.push(values(linear.weight.grad(&grads).unwrap()));
        }
    }
    trace
}

/// A strategy by hand, over all blocks.
type Strategy = fn(&[Block], Tensor<2>) -> Tensor<2>;

/// Whatever the strategy, the masks are those of the plain model: losses and gradients are equal to the bit.
#[test]
fn masks_are_the_same_in_segments() {
    let (device, _turn) = alone();
    let blocks = blocks(&device);
    let plain = train(&blocks, &device, |blocks, x| {
        blocks.iter().fold(x, |x, one| block(one, x))
    });
    let strategies: [Strategy; 6] = [
        |blocks, x| {
            blocks
                .iter()
                .fold(x, |x, one| checkpoint(one, (x,), |one, (x,)| block(one, x)))
        },
        |blocks, x| {
            let options = Checkpoint::new().deterministic();
            blocks.iter().fold(x, |x, one| {
                checkpoint_with(options, one, (x,), |one, (x,)| block(one, x))
            })
        },
        |blocks, x| checkpoint_sequence(blocks, Segments::every(3), x, block),
        |blocks, x| checkpoint_sequence(blocks, Segments::recursive(), x, block),
        |blocks, x| {
            blocks
                .iter()
                .fold(x, |x, one| recompute(one, (x,), |one, (x,)| block(one, x)))
        },
        // Inside and outside, and nested: deterministic in one that is not.
        |blocks, x| {
            let x = block(&blocks[0], x);
            let rest = blocks[1..].to_vec();
            checkpoint(&rest, (x,), |rest, (x,)| {
                let options = Checkpoint::new().deterministic();
                let x = block(&rest[0], x);
                let x = checkpoint_with(options, &rest[1], (x,), |one, (x,)| block(one, x));
                checkpoint(&rest[2], (x,), |one, (x,)| block(one, x))
            })
        },
    ];
    for (index, strategy) in strategies.into_iter().enumerate() {
        let trace = train(&blocks, &device, strategy);
        assert_same(&trace, &plain, &format!("strategy {index}"));
    }
}

fn share_equal(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).filter(|(a, b)| a == b).count() as f64 / a.len() as f64
}

#[test]
fn masks_of_layers_steps_and_seeds_are_independent() {
    let (device, _turn) = alone();
    let layers = [dropout(0.5), dropout(0.5)];
    let mut all = Vec::new();
    for seed in [1, 2] {
        device.seed(seed);
        for _ in 0..3 {
            let x = ones(&device).require_grad();
            let mut y = Tensor::zeros([1], &device);
            for layer in &layers {
                let mask = layer.forward(x.clone());
                all.push(values(mask.clone()));
                y = y + mask.sum();
            }
            let _ = y.backward();
        }
    }
    for (index, a) in all.iter().enumerate() {
        for b in &all[..index] {
            let equal = share_equal(a, b);
            assert!((equal - 0.5).abs() < 0.08, "{equal} of two masks are equal");
        }
    }
}

/// Beside layers that draw from the device, in segments and outside: every run after a seed is the same, and each mask
/// is found again.
#[test]
fn beside_layers_that_draw_from_the_device() {
    type Both = (Dropout, burn::nn::Dropout);
    let (device, _turn) = alone();
    let both: Both = (dropout(0.5), burn::nn::DropoutConfig::new(0.5).init());
    let run = |seed| {
        device.seed(seed);
        let mut trace = Vec::new();
        for _ in 0..2 {
            let x = ones(&device).require_grad();
            let y = both.1.forward(both.0.forward(x.clone()));
            let y = checkpoint(&both, (y,), |(ours, burns), (y,)| {
                ours.forward(burns.forward(ours.forward(y)))
            });
            let y = both.0.forward(y);
            let grads = y.clone().sum().backward();
            assert_eq!(values(y.clone()), values(x.grad(&grads).unwrap()));
            trace.push(values(y));
        }
        trace
    };
    let first = run(1);
    assert_eq!(first, run(1));
    assert_ne!(first, run(2));
    assert_ne!(first[0], first[1]);
}

fn attend(layer: &Dropout, x: Tensor<4>) -> Tensor<4> {
    let attention = Attention::new().causal().dropout(layer);
    attention.forward(x.clone(), x.clone(), x)
}

/// A kernel may be another one the next time; with another mask nothing would be close.
fn assert_close(left: &[Vec<f32>], right: &[Vec<f32>]) {
    for (left, right) in left.iter().flatten().zip(right.iter().flatten()) {
        assert!((left - right).abs() < 1e-4, "{left} is not {right}");
    }
}

/// The masks of attention are those that the layer would have, in segments and outside.
#[test]
fn attention_drops_as_the_layer_does() {
    let (device, _turn) = alone();
    let layer = dropout(0.5);
    let x = Tensor::<4>::random([2, 2, 8, 4], Distribution::Default, &device).require_grad();
    let run = |forward: &dyn Fn(Tensor<4>) -> Tensor<4>| {
        device.seed(3);
        let steps = (0..2).map(|_| {
            let y = forward(x.clone());
            let _ = y.clone().sum().backward();
            values(y)
        });
        steps.collect::<Vec<_>>()
    };
    let first = run(&|x| attend(&layer, x));
    assert_ne!(first[0], first[1]);
    let plain = run(&|x| without_strategies(|| attend(&layer, x)));
    assert_close(&first, &plain);
    let nested = run(&|x| checkpoint(&layer, (x,), |layer, (x,)| attend(layer, x)));
    assert_close(&first, &nested);
}

/// That of burn's layer takes its masks from there as well.
#[test]
fn multi_head_attention_repeats_after_a_seed() {
    let (device, _turn) = alone();
    let config = MultiHeadAttentionConfig::new(8, 2).with_dropout(0.5);
    let attention: MultiHeadAttention = config.init(&device);
    let x = Tensor::<3>::random([2, 6, 8], Distribution::Default, &device);
    let run = |forward: fn(&MultiHeadAttention, Tensor<3>) -> Tensor<3>| {
        device.seed(3);
        let y = forward(&attention, x.clone());
        let _ = y.clone().sum().backward();
        [values(y)]
    };
    let recomputed = |attention: &MultiHeadAttention, x: Tensor<3>| {
        recompute_attention(attention, MhaInput::self_attn(x)).context
    };
    // burn draws the first values of a parameter when it is first used.
    run(recomputed);
    let first = run(recomputed);
    assert_close(&first, &run(recomputed));
    let nested = run(|attention, x| {
        let options = Checkpoint::new().deterministic();
        checkpoint_with(options, attention, (x,), |attention, (x,)| {
            recompute_attention(attention, MhaInput::self_attn(x)).context
        })
    });
    assert_close(&first, &nested);
}

/// Threads count their own masks, so none takes another's, in segments and outside.
#[test]
fn two_threads() {
    let (device, _turn) = alone();
    let masks: Vec<Vec<f32>> = std::thread::scope(|scope| {
        let run = |options: Checkpoint| {
            let device = &device;
            scope.spawn(move || {
                let layer = dropout(0.05);
                let mut first = Vec::new();
                for _ in 0..50 {
                    let x = ones(device).require_grad();
                    let y = checkpoint_with(options, &layer, (x.clone(),), |layer, (x,)| {
                        (0..10).fold(x, |x, _| layer.forward(x))
                    });
                    let y = layer.forward(y);
                    let grads = y.clone().sum().backward();
                    first = values(y);
                    assert_eq!(first, values(x.grad(&grads).unwrap()));
                }
                first
            })
        };
        let options = [Checkpoint::new(), Checkpoint::new().deterministic()];
        let threads = options.map(run);
        threads.map(|thread| thread.join().unwrap()).into()
    });
    assert_ne!(masks[0], masks[1]);
}
