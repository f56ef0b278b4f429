//! What casts keep alive.

use super::support::{alone, cost, device, left_by};
use burn::module::Module;
use burn::nn::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::{Gelu, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::{Device, FloatDType, Tensor};
use remat::amp::{CastScope, Precision, widened};
use remat::memory::measure;
use remat::nn::MhaInput;
use remat::{
    Autocast, Recompute, RecomputeAttention, autocast, autocast_attention, recompute,
    recompute_attention_with, recompute_with,
};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

const BF16: Precision = Precision::BF16;
const ROWS: usize = 1024;
const D: usize = 256;
/// Bytes of an input in 16 bits.
const HALF: f64 = (ROWS * D * 2) as f64;

/// A tracked input that is no leaf.
fn input() -> Tensor<2> {
    Tensor::ones([ROWS, D], &device()).require_grad() * 1.0
}

/// What is alive after the forward pass besides its output, in inputs of 16 bits.
fn kept<const R: usize>(forward: impl Fn() -> Tensor<R>) -> f64 {
    let y = forward();
    let output = y.shape().num_elements() * y.dtype().size();
    drop(y);
    (cost(forward).retained - output as f64) / HALF
}

/// The weight is four inputs large.
#[test]
fn a_cast_weight_is_not_kept() {
    alone(|| {
        let linear = LinearConfig::new(D, 4 * ROWS).init(&device());
        let call = |x| autocast(BF16, &linear, (x,), |linear, (x,)| linear.forward(x));
        let of = kept(|| call(input()));
        // The input in 16 bits.
        assert!((0.9..1.2).contains(&of), "{of}");
        let by_hand = kept(|| {
            let weight = linear.weight.val().cast(FloatDType::BF16);
            input()
                .cast(FloatDType::BF16)
                .matmul(weight)
                .cast(FloatDType::F32)
        });
        assert!(by_hand > 4.9, "{by_hand}");
    });
}

/// Of inputs of three dimensions, burn merges the batches into rows, or gives the weight a dimension more, and keeps that.
#[test]
fn a_cast_weight_that_burn_reshapes_is_kept() {
    alone(|| {
        let of = |device: Device, batches: usize| {
            let linear = LinearConfig::new(D, 4 * ROWS)
                .with_bias(false)
                .init(&device);
            let leaf = Tensor::<3>::ones([batches, ROWS / batches, D], &device).require_grad();
            kept(|| {
                let x = (leaf.clone() * 1.0,);
                autocast(BF16, &linear, x, |linear, (x,)| linear.forward(x))
            })
        };
        let merged = |batches, device| {
            let of = of(device, batches);
            assert!((0.9..1.2).contains(&of), "{batches}: {of}");
        };
        let reshaped = |batches| {
            let of = of(device(), batches);
            assert!((4.9..5.2).contains(&of), "{batches}: {of}");
        };
        // Rows in multiples of 32, or one batch.
        [1, 4, 32].into_iter().for_each(reshaped);
        merged(64, device());
        // burn's own checkpointing knows that a reshape can be done again.
        merged(4, device().gradient_checkpointing());
    });
}

/// Bytes of a square weight in 16 bits: of the layers below, which have inputs of few rows.
const WEIGHT: f64 = (D * D * 2) as f64;

fn few_rows() -> Tensor<2> {
    Tensor::ones([4, D], &device()).require_grad() * 1.0
}

fn low(linear: &Linear, x: Tensor<2>) -> Tensor<2> {
    autocast(BF16, linear, (x,), |linear, (x,)| linear.forward(x))
}

/// The cast of a trained weight lives as long as the scope. Its second call makes no other.
#[test]
fn a_scope_keeps_the_cast_weight_until_it_ends() {
    alone(|| {
        let linear = LinearConfig::new(D, D).init(&device());
        let _ = low(&linear, few_rows()).sum().backward();
        let x = few_rows();
        let mut ys = Vec::with_capacity(3);
        let mut call = || {
            let (y, report) = measure(&device(), || low(&linear, x.clone()));
            ys.push(y);
            let kept = report.retained().expect("a count") as f64 / WEIGHT;
            (kept, report.peak().expect("a count") as f64 / WEIGHT)
        };
        let (kept, peak) = call();
        let casts = CastScope::of(&linear);
        let (of_first, _) = call();
        let (of_second, peak_of_second) = call();
        let ((), report) = measure(&device(), || drop(casts));
        let freed = -report.retained().expect("a count") as f64 / WEIGHT;
        let near = |a: f64, b: f64| (a - b).abs() < 0.1;
        assert!(
            kept < 0.2 && near(of_first, kept + 1.0),
            "{kept} {of_first}"
        );
        assert!(near(of_second, kept), "{of_second}");
        assert!(near(peak_of_second, peak - 1.0), "{peak} {peak_of_second}");
        assert!(near(freed, 1.0), "{freed}");
        let y = ys.into_iter().reduce(|a, b| a + b).expect("three calls");
        let _ = y.sum().backward();
    });
}

/// A parameter is kept until the outermost scope that it is in ends, however that ends.
#[test]
fn scopes_that_nest_and_unwind() {
    alone(|| {
        let (a, b) = (
            LinearConfig::new(D, D).init(&device()),
            LinearConfig::new(D, D).init(&device()),
        );
        let x = few_rows().detach();
        let (_, _) = (low(&a, x.clone()), low(&b, x.clone()));
        let after = |work: &dyn Fn()| {
            let ((), report) = measure(&device(), work);
            (report.retained().expect("a count") as f64 / WEIGHT).round()
        };
        let both = (a.clone(), b.clone());
        let outer = CastScope::of(&a);
        let nested = || {
            let _inner = CastScope::of(&both);
            let _ = (low(&a, x.clone()), low(&b, x.clone()));
        };
        assert_eq!(after(&nested), 1.0);
        let panics = || {
            let _inner = CastScope::of(&b);
            let _ = low(&b, x.clone());
            // Without the hook of `panic!`, which reads debug information into memory.
            resume_unwind(Box::new("on purpose"));
        };
        assert_eq!(after(&|| _ = catch_unwind(AssertUnwindSafe(panics))), 0.0);
        let ((), report) = measure(&device(), || drop(outer));
        assert!(report.retained().expect("a count") as f64 / WEIGHT < -0.9);
        // Nobody is left who would keep one.
        assert_eq!(after(&|| _ = (low(&a, x.clone()), low(&b, x.clone()))), 0.0);
    });
}

/// A frozen weight is needed for the gradients of the inputs: once for all calls.
#[test]
fn a_scope_keeps_one_cast_of_a_frozen_weight() {
    alone(|| {
        let linear = LinearConfig::new(D, D).init(&device()).no_grad();
        let calls = |scope: bool| {
            let of = kept(|| {
                let _casts = scope.then(|| CastScope::of(&linear));
                (0..3).fold(few_rows(), |x, _| low(&linear, x))
            });
            of * HALF / WEIGHT
        };
        let (without, with) = (calls(false), calls(true));
        assert!((3.0..3.3).contains(&without), "{without}");
        assert!((1.0..1.3).contains(&with), "{with}");
    });
}

/// Casts of what is computed again are computed again.
#[test]
fn casts_between_recomputed_layers() {
    alone(|| {
        let norm = LayerNormConfig::new(D).init(&device());
        let linear = LinearConfig::new(D, D).init(&device());
        let gelu = Gelu::new();
        let leaf = Tensor::<2>::ones([ROWS, D], &device()).require_grad();
        // Of a leaf somebody has the value, and it is the norm's input.
        let of = kept(|| {
            let h = recompute(&norm, (leaf.clone(),), |norm, (x,)| norm.forward(x));
            autocast(BF16, &linear, (h,), |linear, (h,)| linear.forward(h))
        });
        assert!(of < 0.2, "{of}");
        // Gelu's input, in 16 bits.
        let of = kept(|| {
            let h = autocast(BF16, &linear, (leaf.clone(),), |m, (x,)| m.forward(x));
            let options = Recompute::new().autocast(Autocast::new(BF16));
            let h = recompute_with(options, &gelu, (h,), |gelu, (h,)| gelu.forward(h));
            autocast(BF16, &linear, (h,), |linear, (h,)| linear.forward(h))
        });
        assert!((0.9..1.2).contains(&of), "{of}");
    });
}

#[test]
fn attention_keeps_its_weights_in_16_bits_or_not_at_all() {
    alone(|| {
        let attention: MultiHeadAttention = MultiHeadAttentionConfig::new(D, 4)
            .with_dropout(0.0)
            .init(&device());
        let input = || MhaInput::self_attn(input().reshape([8, ROWS / 8, D]));
        // Input, queries, keys, values, weighted sum; and weights, which are twice as large.
        let of = kept(|| autocast_attention(BF16, &attention, input()).context);
        assert!((6.9..7.4).contains(&of), "{of}");
        let options = RecomputeAttention::new().autocast(Autocast::new(BF16));
        let of = kept(|| recompute_attention_with(options, &attention, input()).context);
        assert!((4.9..5.4).contains(&of), "{of}");
    });
}

#[test]
fn a_widened_stream_is_kept_in_16_bits() {
    alone(|| {
        let stream = || input().cast(FloatDType::BF16);
        let of = kept(|| widened(stream()).square().mean());
        assert!((0.9..1.1).contains(&of), "{of}");
        let of = kept(|| stream().cast(FloatDType::F32).square().mean());
        assert!((1.9..2.1).contains(&of), "{of}");
    });
}

/// C35: graphs that nobody runs backward, and casts in scopes, leave nothing.
#[test]
fn fifty_graphs_that_are_dropped() {
    alone(|| {
        let linear = LinearConfig::new(16, 16).init(&device());
        let forward = || {
            let _casts = CastScope::of(&linear);
            let x = Tensor::ones([4, 16], &device()).require_grad();
            (0..3).fold(x, |x, _| low(&linear, x))
        };
        // A backward pass at the end, since burn frees what belongs to nobody then.
        let steps = || {
            (0..50).for_each(|_| drop(forward()));
            let _ = forward().sum().backward();
        };
        assert_eq!(left_by(steps), 0);
    });
}

/// C26
#[test]
fn steps_end_where_they_began() {
    alone(|| {
        let attention: MultiHeadAttention = MultiHeadAttentionConfig::new(16, 2)
            .with_dropout(0.0)
            .init(&device());
        let step = || {
            let x = Tensor::<3>::ones([2, 4, 16], &device()).require_grad() * 1.0;
            let y = autocast_attention(BF16, &attention, MhaInput::self_attn(x)).context;
            let _ = y.sum().backward();
        };
        assert_eq!(left_by(|| (0..10).for_each(|_| step())), 0);
    });
}
