//! What checkpoints keep alive, in live bytes. The tests of this binary take turns.

#![cfg(not(cube))]

use burn::module::Module;
use burn::nn::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::{Gelu, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::{Device, Tensor};
use remat::memory::{Tracking, live_bytes, measure};
use remat::nn::MhaInput;
use remat::{
    Quantize, Segments, checkpoint, checkpoint_sequence, quantize, recompute, recompute_attention,
};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[global_allocator]
static ALLOCATOR: Tracking = Tracking::new();

static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Module, Debug)]
struct Block {
    up: Linear,
    gelu: Gelu,
    down: Linear,
}

impl Block {
    fn new(d: usize, device: &Device) -> Self {
        Self {
            up: LinearConfig::new(d, 4 * d).init(device),
            gelu: Gelu::new(),
            down: LinearConfig::new(4 * d, d).init(device),
        }
    }

    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        x.clone() + self.down.forward(self.gelu.forward(self.up.forward(x)))
    }
}

const ROWS: usize = 256;
const D: usize = 64;

fn blocks(device: &Device) -> Vec<Block> {
    (0..8).map(|_| Block::new(D, device)).collect()
}

fn forward(blocks: &[Block], x: Tensor<2>) -> Tensor<2> {
    blocks.iter().fold(x, |x, block| {
        checkpoint(block, (x,), |block, (x,)| block.forward(x))
    })
}

fn input(device: &Device) -> Tensor<2> {
    Tensor::ones([ROWS, D], device)
}

/// Two rounds before counting: lazy parameters, thread pools and tables come to their size.
fn warm(mut step: impl FnMut()) {
    step();
    step();
}

#[test]
fn c25_retained_and_peak_are_below_plain() {
    let _turn = turn();
    for device in [
        Device::flex().autodiff(),
        Device::flex().autodiff().gradient_checkpointing(),
    ] {
        let blocks = blocks(&device);
        let step = || {
            let y = forward(&blocks, input(&device));
            let _ = y.sum().backward();
        };
        warm(step);
        let (y, kept) = measure(&device, || forward(&blocks, input(&device)));
        drop(y);
        let ((), peak) = measure(&device, step);
        let (plain_y, plain_kept) = measure(&device, || {
            remat::without_strategies(|| forward(&blocks, input(&device)))
        });
        drop(plain_y);
        let ((), plain_peak) = measure(&device, || remat::without_strategies(step));

        // One input a block, where plain burn keeps that input, Gelu's input and its output.
        let input_bytes = (ROWS * D * 4) as f64;
        let retained = kept.retained().unwrap() as f64;
        assert!(retained < 8.0 * input_bytes * 1.5, "{retained}");
        let plain = plain_kept.retained().unwrap() as f64;
        assert!(retained < plain * 0.25, "{retained} of {plain}");
        let (peak, plain_peak) = (peak.peak().unwrap(), plain_peak.peak().unwrap());
        assert!(peak < plain_peak / 10 * 6, "{peak} of {plain_peak}");
    }
}

#[test]
fn c26_a_hundred_steps_end_where_they_began() {
    let _turn = turn();
    let device = Device::flex().autodiff();
    let blocks = blocks(&device);
    let step = || {
        let y = forward(&blocks, input(&device));
        let _ = y.sum().backward();
    };
    warm(step);
    let before = live_bytes().unwrap();
    for index in 0..100 {
        step();
        assert_eq!(live_bytes().unwrap(), before, "after step {index}");
    }
}

/// C26, C35: forwards whose backward never runs do not pile up.
#[test]
fn c26_c35_graphs_dropped_without_backward() {
    let _turn = turn();
    let device = Device::flex().autodiff();
    let blocks = blocks(&device);
    let abandon = || drop(forward(&blocks, input(&device)));
    let settle = || {
        let _ = forward(&blocks, input(&device)).sum().backward();
    };
    warm(|| {
        abandon();
        settle();
    });
    let before = live_bytes().unwrap();
    let mut highest = 0;
    for _ in 0..50 {
        abandon();
        highest = highest.max(live_bytes().unwrap());
    }
    // A few abandoned steps wait for the next sweep; their number does not grow.
    let one_step = 8 * ROWS * D * 4;
    assert!(highest - before < 4 * one_step, "{}", highest - before);
    settle();
    assert_eq!(live_bytes().unwrap(), before);
}

/// Of norm, linear and Gelu, only the inputs of the first and the last stay.
#[test]
fn recomputed_outputs_are_not_kept() {
    let _turn = turn();
    let device = Device::flex().autodiff();
    let norm: LayerNorm = LayerNormConfig::new(D).init(&device);
    let block = Block::new(D, &device);
    let forward = |x: Tensor<2>| {
        let h = recompute(&norm, (x,), |norm, (x,)| norm.forward(x));
        let h = block.up.forward(h);
        let h = recompute(&block.gelu, (h,), |gelu, (h,)| gelu.forward(h));
        block.down.forward(h)
    };
    let step = || {
        let _ = forward(input(&device)).sum().backward();
    };
    warm(step);
    let retained = |forward: &dyn Fn() -> Tensor<2>| {
        let (y, report) = measure(&device, forward);
        let _ = y.sum().backward();
        report.retained().unwrap() as f64 / (ROWS * D * 4) as f64
    };
    let recomputed = retained(&|| forward(input(&device)));
    let plain = retained(&|| remat::without_strategies(|| forward(input(&device))));
    // The input, the output, and what the linear layer gives, four times as wide.
    assert!(recomputed < 6.7, "{recomputed}");
    // And twice the norm's, once its output, once Gelu's.
    assert!(plain > 10.5, "{plain}");

    let before = live_bytes().unwrap();
    for index in 0..20 {
        step();
        assert_eq!(live_bytes().unwrap(), before, "after step {index}");
    }
}

/// Nothing of queries × keys: the input, what the four projections give, and the sum before the last.
#[test]
fn attention_keeps_queries_keys_and_values() {
    // So few that one thread does: another takes working memory for its first product.
    const LENGTH: usize = 128;
    let _turn = turn();
    let device = Device::flex().autodiff();
    for dropout in [0.0, 0.1] {
        let attention: MultiHeadAttention = MultiHeadAttentionConfig::new(D, 4)
            .with_dropout(dropout)
            .init(&device);
        let input = || MhaInput::self_attn(Tensor::ones([1, LENGTH, D], &device));
        let forward = || recompute_attention(&attention, input()).context;
        let step = || drop(forward().sum().backward());
        warm(step);
        let retained = |forward: &dyn Fn() -> Tensor<3>| {
            let (y, report) = measure(&device, forward);
            let _ = y.sum().backward();
            report.retained().unwrap() as f64 / (LENGTH * D * 4) as f64
        };
        let recomputed = retained(&forward);
        let plain = retained(&|| remat::without_strategies(forward));
        assert!(recomputed < 7.0, "{recomputed}");
        // Each of four heads has three, of as many elements as there are in two inputs.
        assert!(plain > 6.0 + 3.0 * 4.0 * 2.0, "{plain}");

        let before = live_bytes().unwrap();
        for index in 0..20 {
            step();
            assert_eq!(live_bytes().unwrap(), before, "after step {index}");
        }
        for _ in 0..20 {
            drop(forward());
        }
        step();
        assert_eq!(live_bytes().unwrap(), before, "after dropped graphs");
    }
}

/// What is kept after the forward pass, in sizes of the input; and steps and dropped graphs leave nothing behind.
fn kept(device: &Device, forward: impl Fn() -> Tensor<2>) -> f64 {
    let step = || drop(forward().sum().backward());
    let dropped = || {
        for _ in 0..20 {
            drop(forward());
        }
        step();
    };
    warm(dropped);
    let (y, report) = measure(device, &forward);
    let _ = y.sum().backward();
    let before = live_bytes().unwrap();
    for index in 0..20 {
        step();
        assert_eq!(live_bytes().unwrap(), before, "after step {index}");
    }
    dropped();
    // A table may have grown; each of the graphs held a hundred times as much.
    let left = live_bytes().unwrap().saturating_sub(before);
    assert!(left < 4096, "{left} bytes are left of dropped graphs");
    report.retained().unwrap() as f64 / (ROWS * D * 4) as f64
}

/// burn's dropout keeps a mask of the size of its input; recomputed it does not, and remat's never does.
#[test]
fn masks_are_not_kept() {
    let _turn = turn();
    let device = Device::flex().autodiff();
    let block = Block::new(D, &device);
    let burns = burn::nn::DropoutConfig::new(0.1).init();
    let ours = remat::nn::DropoutConfig::new(0.1).init();
    let through = |dropout: &dyn Fn(Tensor<2>) -> Tensor<2>| {
        let x = input(&device);
        kept(&device, || {
            block.down.forward(dropout(block.up.forward(x.clone())))
        })
    };
    let none = through(&|h| h);
    // What the graph itself takes.
    let few = 0.3;
    assert!(through(&|h| ours.forward(h)) < none + few);
    let recomputed = |h| recompute(&burns, (h,), |burns, (h,)| burns.forward(h));
    let recomputed = through(&recomputed);
    assert!(recomputed < none + few, "{recomputed} {none}");
    // The mask, four times as wide as the input.
    assert!(through(&|h| burns.forward(h)) > none + 4.0 - few);
}

/// Q17: an input that two layers keep is compressed once, and gone after the second has used it.
#[test]
fn compressed_inputs_are_all_that_is_kept() {
    let _turn = turn();
    let device = Device::flex().autodiff();
    let block = Block::new(D, &device);
    let second: Linear = LinearConfig::new(4 * D, D).init(&device);
    let forward = |options: Option<Quantize>| {
        let x = input(&device);
        kept(&device, || {
            let h = block.up.forward(x.clone());
            let down = |layer: &Linear| match options {
                Some(options) => {
                    quantize(options, layer, (h.clone(),), |layer, (h,)| layer.forward(h))
                }
                None => layer.forward(h.clone()),
            };
            down(&block.down) + down(&second)
        })
    };
    let plain = forward(None);
    for (bits, share) in [(8, 3.85), (4, 7.4), (2, 14.0)] {
        let saved = plain - forward(Some(Quantize::bits(bits)));
        // Four times as wide as the input, less what the graph takes.
        let expected = 4.0 - 4.0 / share;
        assert!(
            saved > expected - 0.2 && saved < 4.0,
            "{bits} bits: {saved}"
        );
    }
}

/// Layers with an input that is large beside their parameters.
mod growth {
    use super::*;

    const ROWS: usize = 4096;
    const D: usize = 8;
    const INPUT: f64 = (ROWS * D * 4) as f64;

    /// Retained and peak of a step, in inputs.
    fn measured(count: usize, forward: fn(&[Linear], Tensor<2>) -> Tensor<2>) -> (f64, f64) {
        let device = Device::flex().autodiff();
        let layers: Vec<Linear> = (0..count)
            .map(|_| LinearConfig::new(D, D).init(&device))
            .collect();
        let x = Tensor::ones([ROWS, D], &device);
        let step = || {
            let _ = forward(&layers, x.clone()).sum().backward();
        };
        warm(step);
        let (y, kept) = measure(&device, || forward(&layers, x.clone()));
        let _ = y.sum().backward();
        let ((), peak) = measure(&device, step);
        let inputs = |bytes: f64| bytes / INPUT;
        (
            inputs(kept.retained().unwrap() as f64),
            inputs(peak.peak().unwrap() as f64),
        )
    }

    fn sequence(segments: Segments, layers: &[Linear], x: Tensor<2>) -> Tensor<2> {
        checkpoint_sequence(layers, segments, x, |layer, x| layer.forward(x).tanh())
    }

    /// The exponent `p` of the best `retained = c * layers^p` (least squares in logarithms).
    fn exponent(points: &[(usize, f64)]) -> f64 {
        let logs = points
            .iter()
            .map(|&(n, bytes)| ((n as f64).ln(), bytes.ln()));
        let logs: Vec<_> = logs.collect();
        let mean = |f: fn(&(f64, f64)) -> f64| logs.iter().map(f).sum::<f64>() / logs.len() as f64;
        let (x, y) = (mean(|p| p.0), mean(|p| p.1));
        let covariance: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
        let variance: f64 = logs.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
        covariance / variance
    }

    #[test]
    fn sqrt_grows_like_the_root() {
        let _turn = turn();
        let forward = |layers: &[Linear], x| sequence(Segments::sqrt(), layers, x);
        let points = [16, 64, 256].map(|count| (count, measured(count, forward)));
        let retained = points.map(|(count, (retained, _))| (count, retained));
        let exponent = exponent(&retained);
        assert!((0.4..0.6).contains(&exponent), "{exponent}: {points:?}");
        for (count, (_, peak)) in points {
            // The kept inputs, and one segment's activations: two a layer.
            let root = (count as f64).sqrt();
            assert!(peak < 4.0 * root + 8.0, "{points:?}");
        }
    }

    #[test]
    fn recursive_grows_like_the_logarithm() {
        let _turn = turn();
        let forward = |layers: &[Linear], x| sequence(Segments::recursive(), layers, x);
        let points = [16, 64, 256].map(|count| (count, measured(count, forward)));
        let retained = points.map(|(_, (retained, _))| retained);
        // Two segments more for four times the layers, and what is kept of the modules.
        let modules = 0.02 * 256.0;
        assert!(retained[1] - retained[0] < 2.0 + modules, "{points:?}");
        assert!(retained[2] - retained[1] < 2.0 + modules, "{points:?}");
        for (count, (_, peak)) in points {
            // A segment that runs again keeps as many inputs once more.
            let log = (count as f64).log2();
            assert!(peak < 2.0 * log + 6.0 + 2.0 * modules, "{points:?}");
        }
    }

    /// Three levels of four: what is kept is the sum of the levels, not the product.
    #[test]
    fn three_levels() {
        let _turn = turn();
        let forward = |layers: &[Linear], x| {
            let groups: Vec<Vec<Vec<Linear>>> = layers
                .chunks(16)
                .map(|outer| outer.chunks(4).map(<[Linear]>::to_vec).collect())
                .collect();
            checkpoint_sequence(&groups, Segments::every(1), x, |groups, x| {
                checkpoint_sequence(groups, Segments::every(1), x, |layers, x| {
                    sequence(Segments::every(1), layers, x)
                })
            })
        };
        let (retained, peak) = measured(64, forward);
        assert!(retained < 8.0, "{retained}");
        assert!(peak < 4.0 + 4.0 + 4.0 + 8.0, "{peak}");
    }
}
