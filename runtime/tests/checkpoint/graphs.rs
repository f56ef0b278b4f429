//! Shapes of graphs: nesting, reuse, several graphs alive, none at all.

use crate::support::{Mlp, assert_as_plain, device, loss, numbers};
use burn::module::{Module, Param, ParamId};
use burn::nn::{Linear, LinearConfig, RotaryEncoding, RotaryEncodingConfig};
use burn::optim::{GradientsParams, SgdConfig};
use burn::tensor::{Bool, Device, GradientCheckpointingStrategy, Int, Tensor};
use remat::checkpoint;
use std::sync::atomic::{AtomicUsize, Ordering};

fn mlp(mlp: &Mlp, x: Tensor<2>) -> Tensor<2> {
    checkpoint(mlp, (x,), |mlp, (x,)| mlp.forward(x))
}

#[test]
fn nested_three_deep() {
    type Inner = (Mlp, Mlp);
    type Outer = (Inner, Mlp);
    let device = device();
    let new = || Mlp::new(4, &device);
    let model: (Outer, Mlp) = (((new(), new()), new()), new());
    let x = numbers([3, 4], &device).require_grad();
    assert_as_plain(&model, |(outer, last): &(Outer, Mlp)| {
        let h = checkpoint(outer, (x.clone(),), |(inner, after), (x,)| {
            let h = checkpoint(inner, (x,), |(a, b), (x,)| mlp(b, mlp(a, x)));
            mlp(after, h)
        });
        loss(mlp(last, h))
    });
}

#[test]
fn one_module_used_again_and_again() {
    let device = device();
    let model = Mlp::new(4, &device);
    let x = numbers([3, 4], &device);
    assert_as_plain(&model, |model| loss(mlp(model, mlp(model, x.clone()))));
}

#[test]
fn two_forwards_alive_before_either_backward() {
    let device = device();
    let model = Mlp::new(4, &device);
    let (a, b) = (numbers([3, 4], &device), numbers([2, 4], &device) * 2.0);
    let gradient =
        |grads: &burn::tensor::Gradients| model.up.weight.grad(grads).unwrap().into_data();
    let alone = |x: &Tensor<2>| gradient(&loss(mlp(&model, x.clone())).backward());

    let (first, second) = (loss(mlp(&model, a.clone())), loss(mlp(&model, b.clone())));
    assert_eq!(gradient(&second.backward()), alone(&b));
    assert_eq!(gradient(&first.backward()), alone(&a));
}

#[test]
fn a_graph_dropped_without_backward_leaves_the_next_alone() {
    let device = device();
    let model = Mlp::new(4, &device);
    let x = numbers([3, 4], &device);
    drop(mlp(&model, x.clone()));
    assert_as_plain(&model, |model| loss(mlp(model, x.clone())));
}

#[test]
fn balanced_devices() {
    let device = Device::default().autodiff().gradient_checkpointing();
    let model = (LinearConfig::new(4, 4).init(&device), Mlp::new(4, &device));
    let x = numbers([3, 4], &device).require_grad();
    let forward = |(first, second): &(Linear, Mlp)| {
        let h = checkpoint(first, (x.clone(),), |linear, (x,)| linear.forward(x));
        let y = mlp(second, h.clone().exp()) + h;
        let strategy = y.gradient_checkpointing_strategy();
        assert_eq!(strategy, Some(GradientCheckpointingStrategy::Balanced));
        loss(y)
    };
    assert_as_plain(&model, forward);
}

/// C34: burn's optimizers keep the strategy of a parameter; so must the fork of a segment.
#[test]
fn c34_two_optimizer_steps_on_a_balanced_device() {
    let device = Device::default().autodiff().gradient_checkpointing();
    let mut model = Mlp::new(4, &device);
    let mut optimizer = SgdConfig::new().init();
    let x = numbers([3, 4], &device);
    for _ in 0..2 {
        let grads = loss(mlp(&model, x.clone())).backward();
        let grads = GradientsParams::from_grads(grads, &model);
        model = optimizer.step(0.1, model, grads);
    }
}

static FORWARDS: AtomicUsize = AtomicUsize::new(0);

#[derive(Module, Debug)]
struct Counting {
    linear: Linear,
}

impl Counting {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        FORWARDS.fetch_add(1, Ordering::Relaxed);
        self.linear.forward(x)
    }
}

/// C28: where no gradient is wanted the call is the plain call: once, nothing recorded.
#[test]
fn c28_plain_call_when_nothing_is_tracked() {
    let device = device();
    let counting = Counting {
        linear: LinearConfig::new(4, 4).init(&device),
    };
    let x = numbers([3, 4], &device);
    let forward = |model: &Counting, x: Tensor<2>| {
        let before = FORWARDS.load(Ordering::Relaxed);
        let y = checkpoint(model, (x,), |model, (x,)| model.forward(x));
        (y, FORWARDS.load(Ordering::Relaxed) - before)
    };

    let (y, runs) = forward(&counting.valid(), x.clone().inner());
    assert!(!y.is_autodiff());
    assert_eq!(runs, 1);

    let (y, runs) = forward(&counting.clone().no_grad(), x.clone());
    assert!(y.is_autodiff() && !y.is_tracked());
    assert_eq!(runs, 1);

    let (y, _) = remat::without_strategies(|| forward(&counting, x.clone()));
    let before = FORWARDS.load(Ordering::Relaxed);
    let _ = y.sum().backward();
    assert_eq!(
        FORWARDS.load(Ordering::Relaxed),
        before,
        "plain burn runs nothing again"
    );

    let (y, _) = forward(&counting, x);
    let before = FORWARDS.load(Ordering::Relaxed);
    let _ = y.sum().backward();
    assert_eq!(FORWARDS.load(Ordering::Relaxed), before + 1);
}

/// Tensors that are fields and no parameters, and parameters of other kinds.
#[derive(Module, Debug)]
struct Fields {
    linear: Linear,
    rope: RotaryEncoding,
    order: Param<Tensor<1, Int>>,
    keep: Param<Tensor<1, Bool>>,
    shift: Tensor<1>,
}

impl Fields {
    fn forward(&self, x: Tensor<3>, order: Tensor<1, Int>) -> Tensor<3> {
        let x = self.rope.forward(self.linear.forward(x));
        let x = x.select(2, self.order.val()).select(2, order);
        x.mask_fill(self.keep.val().unsqueeze(), 0.5) + self.shift.clone().unsqueeze()
    }
}

#[test]
fn fields_of_every_kind_on_both_kinds_of_devices() {
    for device in [
        Device::default().autodiff(),
        Device::default().autodiff().gradient_checkpointing(),
    ] {
        let order = Tensor::<1, Int>::from_ints([3, 1, 2, 0], &device);
        let model = Fields {
            linear: LinearConfig::new(4, 4).init(&device),
            rope: RotaryEncodingConfig::new(8, 4).init(&device),
            keep: Param::initialized(ParamId::new(), order.clone().greater_elem(1)),
            order: Param::initialized(ParamId::new(), order.clone()),
            shift: numbers([4], &device),
        };
        let x = numbers([2, 3, 4], &device).require_grad();
        assert_as_plain(&model, |model| {
            let inputs = (x.clone(), order.clone());
            let y = checkpoint(model, inputs, |model, (x, order)| model.forward(x, order));
            loss(y.exp())
        });
    }
}
