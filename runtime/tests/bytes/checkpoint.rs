//! What checkpoints, recomputed and quantized layers keep alive.

use super::support::{Cost, alone, cost, device, left_by, peak};
use burn::module::Module;
use burn::nn::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::{Gelu, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::{Device, Tensor};
use remat::memory::{live_bytes, measure};
use remat::nn::MhaInput;
use remat::{
    Quantize, Segments, checkpoint, checkpoint_sequence, quantize, recompute, recompute_attention,
};

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

/// Bytes of an input.
const INPUT: usize = ROWS * D * 4;

#[test]
fn c25_retained_and_peak_are_below_plain() {
    alone(|| {
        for device in [device(), device().gradient_checkpointing()] {
            let blocks = blocks(&device);
            let forward = || forward(&blocks, input(&device));
            let step = || forward().sum().backward();
            let kept = cost(forward).per(INPUT).retained;
            let plain_kept = cost(|| remat::without_strategies(forward))
                .per(INPUT)
                .retained;
            // One input a block, where plain burn keeps that input, Gelu's input and its output, or not that output.
            assert!(kept < 8.0 * 1.5, "{kept}");
            assert!(kept < plain_kept * 0.3, "{kept} of {plain_kept}");

            let (ours, plain) = (peak(step), peak(|| remat::without_strategies(step)));
            // Of both, a million bytes are the gradients.
            assert!(ours < plain * 0.65, "{ours} of {plain}");
        }
    });
}

#[test]
fn c26_steps_end_where_they_began() {
    alone(|| {
        let device = device();
        let blocks = blocks(&device);
        let step = || drop(forward(&blocks, input(&device)).sum().backward());
        assert_eq!(left_by(step), 0);
    });
}

/// C26, C35: forwards whose backward never runs do not pile up.
#[test]
fn c26_c35_graphs_dropped_without_backward() {
    alone(|| {
        let device = device();
        let blocks = blocks(&device);
        let abandon = || drop(forward(&blocks, input(&device)));
        let settle = || drop(forward(&blocks, input(&device)).sum().backward());
        let rounds = || {
            abandon();
            settle();
        };
        assert_eq!(left_by(rounds), 0);
        let before = live_bytes().unwrap();
        let mut highest = 0;
        for _ in 0..50 {
            abandon();
            highest = highest.max(live_bytes().unwrap());
        }
        // A few abandoned steps wait for the next sweep; their number does not grow.
        let one_step = 8 * INPUT;
        assert!(highest - before < 4 * one_step, "{}", highest - before);
    });
}

/// Of norm, linear and Gelu, only the inputs of the first and the last stay.
#[test]
fn recomputed_outputs_are_not_kept() {
    alone(|| {
        let device = device();
        let norm: LayerNorm = LayerNormConfig::new(D).init(&device);
        let block = Block::new(D, &device);
        let forward = |x: Tensor<2>| {
            let h = recompute(&norm, (x,), |norm, (x,)| norm.forward(x));
            let h = block.up.forward(h);
            let h = recompute(&block.gelu, (h,), |gelu, (h,)| gelu.forward(h));
            block.down.forward(h)
        };
        let ours = || forward(input(&device));
        let recomputed = cost(ours).per(INPUT).retained;
        let plain = cost(|| remat::without_strategies(ours)).per(INPUT).retained;
        // The input, the output, and what the linear layer gives, four times as wide.
        assert!(recomputed < 6.7, "{recomputed}");
        // And twice the norm's, once its output, once Gelu's.
        assert!(plain > 10.5, "{plain}");
        assert_eq!(left_by(|| drop(ours().sum().backward())), 0);
    });
}

/// Nothing of queries × keys: the input, what the four projections give, and the sum before the last.
#[test]
fn attention_keeps_queries_keys_and_values() {
    // So few that one thread does: another takes working memory for its first product.
    const LENGTH: usize = 128;
    alone(|| {
        for dropout in [0.0, 0.1] {
            let attention: MultiHeadAttention = MultiHeadAttentionConfig::new(D, 4)
                .with_dropout(dropout)
                .init(&device());
            let input = || MhaInput::self_attn(Tensor::ones([1, LENGTH, D], &device()));
            let forward = || recompute_attention(&attention, input()).context;
            let recomputed = kept(forward) / (LENGTH * D * 4) as f64;
            let plain = kept(|| remat::without_strategies(forward)) / (LENGTH * D * 4) as f64;
            assert!(recomputed < 7.0, "{recomputed}");
            // Each of four heads has three, of as many elements as there are in two inputs.
            assert!(plain > 6.0 + 3.0 * 4.0 * 2.0, "{plain}");
        }
    });
}

/// What is kept after the forward pass, in bytes; and steps and dropped graphs leave nothing behind.
fn kept<const R: usize>(forward: impl Fn() -> Tensor<R>) -> f64 {
    let step = || drop(forward().sum().backward());
    assert_eq!(left_by(step), 0);
    let dropped = || {
        (0..20).for_each(|_| drop(forward()));
        step();
    };
    assert_eq!(left_by(dropped), 0, "of dropped graphs");
    cost(forward).retained
}

/// burn's dropout keeps a mask of the size of its input; recomputed it does not, and remat's never does.
#[test]
fn masks_are_not_kept() {
    alone(|| {
        let device = device();
        let block = Block::new(D, &device);
        let burns = burn::nn::DropoutConfig::new(0.1).init();
        let ours = remat::nn::DropoutConfig::new(0.1).init();
        let through = |dropout: &dyn Fn(Tensor<2>) -> Tensor<2>| {
            let x = input(&device);
            kept(|| block.down.forward(dropout(block.up.forward(x.clone())))) / INPUT as f64
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
    });
}

/// Q17: an input that two layers keep is compressed once, and gone after the second has used it.
#[test]
fn compressed_inputs_are_all_that_is_kept() {
    alone(|| {
        let device = device();
        let block = Block::new(D, &device);
        let second: Linear = LinearConfig::new(4 * D, D).init(&device);
        let forward = |options: Option<Quantize>| {
            let x = input(&device);
            let kept = kept(|| {
                let h = block.up.forward(x.clone());
                let down = |layer: &Linear| match options {
                    Some(options) => {
                        quantize(options, layer, (h.clone(),), |layer, (h,)| layer.forward(h))
                    }
                    None => layer.forward(h.clone()),
                };
                down(&block.down) + down(&second)
            });
            kept / INPUT as f64
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
    });
}

/// Layers with an input that is large beside their parameters.
mod growth {
    use super::*;

    const ROWS: usize = 4096;
    const D: usize = 8;
    const INPUT: usize = ROWS * D * 4;

    /// What a forward pass keeps, and the peak of a step, in inputs.
    fn measured(count: usize, forward: fn(&[Linear], Tensor<2>) -> Tensor<2>) -> Cost {
        let layers: Vec<Linear> = (0..count)
            .map(|_| LinearConfig::new(D, D).init(&device()))
            .collect();
        let x = Tensor::ones([ROWS, D], &device());
        let step = || drop(forward(&layers, x.clone()).sum().backward());
        // Once each, since they take long; the bounds are wide.
        step();
        let (y, kept) = measure(&device(), || forward(&layers, x.clone()));
        let _ = y.sum().backward();
        let ((), whole) = measure(&device(), step);
        let cost = Cost {
            retained: kept.retained().unwrap() as f64,
            peak: whole.peak().unwrap() as f64,
        };
        cost.per(INPUT)
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
        alone(|| {
            let forward = |layers: &[Linear], x| sequence(Segments::sqrt(), layers, x);
            let points = [16, 64, 256].map(|count| (count, measured(count, forward)));
            let retained = points.map(|(count, cost)| (count, cost.retained));
            let exponent = exponent(&retained);
            assert!((0.4..0.6).contains(&exponent), "{exponent}: {points:?}");
            for (count, Cost { peak, .. }) in points {
                // The kept inputs, and one segment's activations: two a layer.
                let root = (count as f64).sqrt();
                assert!(peak < 4.0 * root + 8.0, "{points:?}");
            }
        });
    }

    #[test]
    fn recursive_grows_like_the_logarithm() {
        alone(|| {
            let forward = |layers: &[Linear], x| sequence(Segments::recursive(), layers, x);
            let points = [16, 64, 256].map(|count| (count, measured(count, forward)));
            let retained = points.map(|(_, cost)| cost.retained);
            // Two segments more for four times the layers, and what is kept of the modules.
            let modules = 0.02 * 256.0;
            assert!(retained[1] - retained[0] < 2.0 + modules, "{points:?}");
            assert!(retained[2] - retained[1] < 2.0 + modules, "{points:?}");
            for (count, Cost { peak, .. }) in points {
                // A segment that runs again keeps as many inputs once more.
                let log = (count as f64).log2();
                assert!(peak < 2.0 * log + 6.0 + 2.0 * modules, "{points:?}");
            }
        });
    }

    /// Three levels of four: what is kept is the sum of the levels, not the product.
    #[test]
    fn three_levels() {
        alone(|| {
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
            let Cost { retained, peak } = measured(64, forward);
            assert!(retained < 8.0, "{retained}");
            assert!(peak < 4.0 + 4.0 + 4.0 + 8.0, "{peak}");
        });
    }
}
