//! Autocast together with strategies that run a layer again or compress what it keeps.

use super::{LOW, assert_all_f32};
use crate::support::{
    Mlp, assert_all_same, assert_same, device, error, gradients, loss, numbers, run,
};
use burn::module::Module;
use burn::nn::{Gelu, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::{DType, Device, FloatDType, Tensor};
use remat::amp::Precision;
use remat::{
    Autocast, Checkpoint, Quantize, Recompute, autocast, autocast_with, checkpoint,
    checkpoint_with, recompute_with, without_strategies,
};
use std::sync::Mutex;

const D: usize = 32;

const BF16: Autocast = Autocast::new(Precision::BF16);
const F32: Autocast = Autocast::new(Precision::F32);

fn low<M: Module + 'static>(
    module: &M,
    x: Tensor<2>,
    f: fn(&M, (Tensor<2>,)) -> Tensor<2>,
) -> Tensor<2> {
    autocast_with(BF16, module, (x,), f)
}

/// C20: both runs are in the precision of the first, wherever the backward pass is called.
#[test]
fn c20_the_second_run_has_the_precision_of_the_first() {
    static SEEN: Mutex<Vec<(DType, DType)>> = Mutex::new(Vec::new());
    let device = device();
    let model = Mlp::new(D, &device);
    let x = numbers([5, D], &device);
    for precision in LOW {
        let options = Checkpoint::new().autocast(Autocast::new(precision));
        let forward = |model: &Mlp, (x,): (Tensor<2>,)| {
            let y = model.forward(x.clone());
            SEEN.lock().unwrap().push((x.dtype(), y.dtype()));
            y
        };
        let (value, grads) = run(&model, |model| {
            loss(checkpoint_with(options, model, (x.clone(),), forward))
        });
        let dtype = DType::from(precision.dtype());
        let seen = std::mem::take(&mut *SEEN.lock().unwrap());
        assert_eq!(seen, [(dtype, dtype); 2]);
        let (plain_value, plain) = run(&model, |model| {
            loss(autocast(precision, model, (x.clone(),), |m, (x,)| {
                m.forward(x)
            }))
        });
        assert_same(&value, &plain_value);
        assert_all_same(&grads, &plain);
        assert_all_f32(&grads);

        // Off in the backward pass only.
        let y = checkpoint_with(options, &model, (x.clone(),), forward);
        let mut later = without_strategies(|| loss(y).backward());
        assert_all_same(&gradients(&model, &mut later), &plain);
        let seen = std::mem::take(&mut *SEEN.lock().unwrap());
        assert_eq!(seen, [(dtype, dtype); 2]);
    }
}

/// C21: a weight that two segments share is cast in each of them, in both runs.
#[test]
fn c21_a_weight_in_two_segments() {
    let device = device();
    let model = Mlp::new(D, &device);
    let x = numbers([5, D], &device);
    let cast = |model: &Mlp, (x,): (Tensor<2>,)| low(model, x, |m, (x,)| m.forward(x));
    let segments = |model: &Mlp| {
        let h = checkpoint(model, (x.clone(),), cast);
        loss(checkpoint(model, (h,), cast))
    };
    let (value, grads) = run(&model, segments);
    let (plain_value, plain) = run(&model, |model| {
        loss(cast(model, (cast(model, (x.clone(),)),)))
    });
    assert_same(&value, &plain_value);
    assert_all_same(&grads, &plain);
}

#[derive(Module, Debug)]
struct Block {
    norm: LayerNorm,
    up: Linear,
    gelu: Gelu,
    down: Linear,
}

impl Block {
    fn new(device: &Device) -> Self {
        Self {
            norm: LayerNormConfig::new(D).init(device),
            up: LinearConfig::new(D, 2 * D).init(device),
            gelu: Gelu::new(),
            down: LinearConfig::new(2 * D, D).init(device),
        }
    }

    fn cast(&self, x: Tensor<2>) -> Tensor<2> {
        let h = autocast_with(F32, &self.norm, (x.clone(),), |m, (x,)| m.forward(x));
        let h = low(&self.up, h, |m, (x,)| m.forward(x));
        let h = low(&self.gelu, h, |m, (x,)| m.forward(x));
        x + low(&self.down, h, |m, (x,)| m.forward(x))
    }

    fn cast_and_recomputed(&self, x: Tensor<2>) -> Tensor<2> {
        let island = Recompute::new().autocast(F32);
        let h = recompute_with(island, &self.norm, (x.clone(),), |m, (x,)| m.forward(x));
        let h = low(&self.up, h, |m, (x,)| m.forward(x));
        let h = recompute_with(
            Recompute::new().autocast(BF16),
            &self.gelu,
            (h,),
            |m, (h,)| m.forward(h),
        );
        x + low(&self.down, h, |m, (x,)| m.forward(x))
    }
}

/// Casts of outputs that are computed again, in streams of either precision: the same numbers.
#[test]
fn recomputed_layers_between_cast_ones() {
    for device in [device(), device().gradient_checkpointing()] {
        let block = Block::new(&device);
        for dtype in [FloatDType::F32, FloatDType::BF16] {
            let x = numbers([5, D], &device).cast(dtype).require_grad();
            let of = |y: Tensor<2>| loss(y.cast(FloatDType::F32));
            let (value, grads) = run(&block, |block| {
                of(block.cast_and_recomputed(x.clone() * 1.0))
            });
            let (plain_value, plain) = run(&block, |block| of(block.cast(x.clone() * 1.0)));
            assert_same(&value, &plain_value);
            assert_all_same(&grads, &plain);
            assert!(grads.iter().all(Option::is_some));
            assert_all_f32(&grads);
        }
    }
}

/// The same blocks in checkpoints, with the stream in bf16.
#[test]
fn checkpoints_of_cast_blocks() {
    let device = device();
    let blocks = [Block::new(&device), Block::new(&device)];
    let x = numbers([5, D], &device).cast(FloatDType::BF16);
    let stack = |each: fn(&Block, Tensor<2>) -> Tensor<2>| {
        run(&blocks, |blocks| {
            let y = blocks.iter().fold(x.clone(), |x, block| each(block, x));
            loss(y.cast(FloatDType::F32))
        })
    };
    let (value, grads) =
        stack(|block, x| checkpoint(block, (x,), |block, (x,)| block.cast_and_recomputed(x)));
    let (plain_value, plain) = stack(Block::cast);
    assert_same(&value, &plain_value);
    assert_all_same(&grads, &plain);
}

/// What is kept of a cast input may be compressed.
#[test]
fn compressed_inputs() {
    let device = device();
    let block = Block::new(&device);
    let x = numbers([16, D], &device).require_grad();
    let eight = Quantize::bits(8).min_elements(0);
    let (value, grads) = run(&block, |block| {
        let options = BF16.quantize(eight);
        let h = autocast_with(options, &block.up, (x.clone() * 1.0,), |m, (x,)| {
            m.forward(x)
        });
        let options = Recompute::new().quantize(eight).autocast(BF16);
        let h = recompute_with(options, &block.gelu, (h,), |m, (h,)| m.forward(h));
        loss(low(&block.down, h, |m, (x,)| m.forward(x)))
    });
    let (plain_value, plain) = run(&block, |block| {
        let h = low(&block.up, x.clone() * 1.0, |m, (x,)| m.forward(x));
        let h = low(&block.gelu, h, |m, (x,)| m.forward(x));
        loss(low(&block.down, h, |m, (x,)| m.forward(x)))
    });
    assert_same(&value, &plain_value);
    let error = error(&grads, &plain);
    assert!(0.0 < error && error < 0.02, "{error}");
}

#[test]
fn options_that_do_not_go_together() {
    let panics = |f: fn()| std::panic::catch_unwind(f).is_err();
    assert!(panics(|| {
        let _ = Checkpoint::new().autocast(BF16.quantize(Quantize::bits(8)));
    }));
    assert!(panics(|| {
        let options = Checkpoint::new().autocast(BF16);
        let _ = options.segments(remat::Segments::every(2));
    }));
    let device = device();
    let model = Mlp::new(D, &device);
    let message = super::panic_of(|| {
        let forward = |m: &Mlp, (x,): (Tensor<2>,)| m.forward(x);
        let options = Checkpoint::named("Net.mlp").autocast(BF16);
        remat::checkpoint_early_stop(
            options,
            &model,
            (numbers([3, D], &device),),
            forward,
            forward,
        )
    });
    assert!(message.contains("`Net.mlp`"), "{message}");
}
