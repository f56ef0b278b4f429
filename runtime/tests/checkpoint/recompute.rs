//! `remat::recompute` against plain burn: same values, same gradients, one run more.

use crate::support::{assert_as_plain, assert_same, device, loss, numbers};
use burn::module::Module;
use burn::nn::pool::MaxPool2dConfig;
use burn::nn::{
    BatchNorm, BatchNormConfig, Gelu, GroupNorm, GroupNormConfig, LayerNorm, LayerNormConfig,
    Linear, LinearConfig, RmsNorm, RmsNormConfig,
};
use burn::tensor::{Device, Tensor, Tolerance};
use remat::tape::{self, SavedAs};
use remat::{Recompute, checkpoint, recompute, recompute_with, without_strategies};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const D: usize = 4;

/// Gelu that counts its runs, together with its clones.
#[derive(Module, Debug)]
struct Counting {
    gelu: Gelu,
    #[module(skip)]
    runs: Arc<AtomicUsize>,
}

impl Counting {
    fn new() -> Self {
        Self {
            gelu: Gelu::new(),
            runs: Arc::default(),
        }
    }

    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.gelu.forward(x)
    }

    fn take(&self) -> usize {
        self.runs.swap(0, Ordering::Relaxed)
    }
}

#[derive(Module, Debug)]
struct Block {
    norm: LayerNorm,
    up: Linear,
    gelu: Counting,
    second: Counting,
    down: Linear,
}

impl Block {
    fn new(device: &Device) -> Self {
        Self {
            norm: LayerNormConfig::new(D).init(device),
            up: LinearConfig::new(D, 2 * D).init(device),
            gelu: Counting::new(),
            second: Counting::new(),
            down: LinearConfig::new(2 * D, D).init(device),
        }
    }

    /// norm → linear → gelu → gelu → linear, each but the linear ones recomputed; added to the input.
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let h = recompute(&self.norm, (x.clone(),), |norm, (x,)| norm.forward(x));
        let h = self.up.forward(h);
        let h = recompute(&self.gelu, (h,), |gelu, (h,)| gelu.forward(h));
        let h = recompute(&self.second, (h,), |gelu, (h,)| gelu.forward(h));
        x + self.down.forward(h)
    }
}

#[test]
fn chains_have_plain_burns_gradients_and_run_once_more() {
    for device in [device(), device().gradient_checkpointing()] {
        for tracked in [false, true] {
            let block = Block::new(&device);
            let x = numbers([3, D], &device).set_require_grad(tracked);
            let _ = block.forward(x.clone()).sum().backward();
            assert_eq!((block.gelu.take(), block.second.take()), (2, 2));
            assert_as_plain(&block, |block| loss(block.forward(x.clone()) - x.clone()));
        }
    }
}

/// A normalised input collects gradients from inside, and from outside past the block.
#[test]
fn an_input_that_is_used_outside_as_well() {
    let device = device();
    let model = [(); 3].map(|()| Block::new(&device));
    let x = numbers([3, D], &device);
    assert_as_plain(&model, |[first, second, third]| {
        let x = first.up.forward(x.clone()).narrow(1, 0, D);
        loss(third.forward(second.forward(first.forward(x))))
    });
}

/// Of a leaf it is not known what it has collected: the sum may round differently.
#[test]
fn a_leaf_that_is_used_outside_as_well() {
    let device = device();
    let block = Block::new(&device);
    let gradient = || {
        let x = numbers([3, D], &device).require_grad();
        let grads = loss(block.forward(x.clone())).backward();
        x.grad(&grads).unwrap().into_data()
    };
    let plain = without_strategies(gradient);
    gradient().assert_approx_eq::<f32>(&plain, Tolerance::rel_abs(1e-5, 1e-6));
}

#[test]
fn norms_and_pooling() {
    type Norms = (LayerNorm, RmsNorm, GroupNorm, Linear);
    let device = device();
    let norms: Norms = (
        LayerNormConfig::new(D).init(&device),
        RmsNormConfig::new(D).init(&device),
        GroupNormConfig::new(2, D).init(&device),
        LinearConfig::new(D, D).init(&device),
    );
    let x = numbers([3, D], &device).require_grad();
    assert_as_plain(&norms, |(layer, rms, group, linear)| {
        let h = recompute(layer, (x.clone(),), |norm, (x,)| norm.forward(x));
        let h = recompute(rms, (linear.forward(h),), |norm, (x,)| norm.forward(x));
        let h = recompute(group, (linear.forward(h),), |norm, (x,)| norm.forward(x));
        loss(linear.forward(h))
    });

    let pool = MaxPool2dConfig::new([2, 2]).init();
    let linear: Linear = LinearConfig::new(2, 2).init(&device);
    let x = numbers([1, 2, 4, 4], &device).require_grad();
    assert_as_plain(&linear, |linear| {
        let h = recompute(&pool, (x.clone(),), |pool, (x,)| pool.forward(x));
        loss(linear.forward(h))
    });
}

#[test]
fn batch_norm_statistics_move_once() {
    let device = device();
    let norm = || -> BatchNorm { BatchNormConfig::new(D).init(&device) };
    let linear: Linear = LinearConfig::new(D, D).init(&device);
    let x = numbers([8, D], &device).require_grad();
    let run = |norm: &BatchNorm| {
        let h = recompute(norm, (x.clone(),), |norm, (x,)| norm.forward(x));
        let grads = linear.forward(h).sum().backward();
        let mean = norm.running_mean.value().into_data();
        (mean, x.grad(&grads).unwrap().into_data())
    };
    let (recomputed, plain) = (run(&norm()), without_strategies(|| run(&norm())));
    assert_same(&recomputed.0, &plain.0);
    assert_same(&recomputed.1, &plain.1);
}

/// Several inputs, one of them constant; several outputs, several consumers, one output unused.
#[test]
fn several_inputs_outputs_and_consumers() {
    let device = device();
    let model: (Linear, Linear) = (
        LinearConfig::new(D, D).init(&device),
        LinearConfig::new(D, D).init(&device),
    );
    let x = numbers([3, D], &device);
    assert_as_plain(&model, |(first, second)| {
        let (a, b) = (first.forward(x.clone()), second.forward(x.clone()));
        let (sum, product, _) = recompute(
            &Gelu::new(),
            (a, x.clone(), b.clone(), b),
            |gelu, (a, x, b, again)| {
                let h = gelu.forward(a + x);
                (h.clone() + again, h * b.clone(), b)
            },
        );
        let y = first.forward(sum.clone()) * second.forward(sum);
        loss(y + product.clone().tanh() * product)
    });
}

/// The output is only added: nobody asks for its value, but for the gradient of the layer itself.
#[test]
fn an_output_that_nobody_keeps() {
    let device = device();
    let model: (Linear, LayerNorm) = (
        LinearConfig::new(D, D).init(&device),
        LayerNormConfig::new(D).init(&device),
    );
    let x = numbers([3, D], &device);
    assert_as_plain(&model, |(linear, norm)| {
        let h = linear.forward(x.clone());
        let y = recompute(norm, (h.clone(),), |norm, (h,)| norm.forward(h));
        loss(h) + y.sum()
    });
    // And without any tracked input.
    let norm = &model.1;
    assert_as_plain(norm, |norm| {
        recompute(norm, (x.clone(),), |norm, (x,)| norm.forward(x)).sum()
    });
}

#[test]
fn inside_and_around_checkpoints() {
    let device = device();
    let block = Block::new(&device);
    let x = numbers([3, D], &device).require_grad();
    assert_as_plain(&block, |block| {
        let h = checkpoint(block, (x.clone(),), |block, (x,)| block.forward(x));
        let h = recompute(block, (h,), |block, (h,)| {
            checkpoint(&block.norm, (h,), |norm, (h,)| norm.forward(h))
        });
        loss(block.up.forward(h))
    });
}

#[test]
fn two_graphs_alive_and_one_dropped() {
    let device = device();
    let block = Block::new(&device);
    let x = numbers([3, D], &device);
    drop(block.forward(x.clone()));
    let (first, second) = (block.forward(x.clone()), block.forward(x.clone() * 2.0));
    let gradient = |y: Tensor<2>| {
        let weight = block.up.weight.val();
        weight.grad(&y.sum().backward()).unwrap().into_data()
    };
    let (second, first) = (gradient(second), gradient(first));
    let plain = without_strategies(|| gradient(block.forward(x.clone())));
    assert_same(&first, &plain);
    assert_ne!(first, second);
}

#[test]
fn too_many_inputs() {
    let x = numbers([1, 1], &device()).require_grad();
    let many = vec![x; 16];
    let options = Recompute::named("Net.sum");
    let run = || {
        recompute_with(options, &Gelu::new(), (many,), |_, (many,)| {
            Tensor::cat(many, 0)
        })
    };
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).expect_err("a panic");
    let message = panic.downcast::<String>().expect("a message");
    assert!(
        message.contains("Net.sum") && message.contains("16 tracked"),
        "{message}"
    );
}

/// The hook by itself: what consumers keep is unpacked once, and only if one asks.
#[test]
fn saved_tensors_are_unpacked_once_for_several_consumers() {
    let device = device();
    let x = numbers([3, D], &device).require_grad();
    let unpacked = Arc::new(AtomicUsize::new(0));
    let count = |value: &Tensor<2>| {
        let (unpacked, value) = (Arc::clone(&unpacked), value.clone().inner());
        SavedAs::new(move |_| {
            unpacked.fetch_add(1, Ordering::Relaxed);
            value
        })
    };
    let y = x.clone() * 2.0;
    let y = tape::save_as(y.clone(), count(&y));
    let z = y.clone().tanh() + y.clone().powi_scalar(2) + y.exp();
    let grads = z.sum().backward();
    assert_eq!(unpacked.swap(0, Ordering::Relaxed), 1);

    let y = x.clone() * 2.0;
    let plain = y.clone().tanh() + y.clone().powi_scalar(2) + y.clone().exp();
    let plain = plain.sum().backward();
    assert_same(
        &x.grad(&grads).unwrap().into_data(),
        &x.grad(&plain).unwrap().into_data(),
    );

    let y = x.clone() * 2.0;
    let y = tape::save_as(y.clone(), count(&y));
    let _ = (y + 1.0).sum().backward();
    assert_eq!(unpacked.load(Ordering::Relaxed), 0, "nobody asks");
}
