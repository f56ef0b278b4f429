//! Parameters that are cast once for several calls: the numbers without a scope, to the bit.

use super::LOW;
use crate::support::{Mlp, assert_all_same, assert_same, device, loss, numbers, run};
use burn::module::Module;
use burn::nn::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Tensor, TensorData};
use remat::amp::{CastScope, Precision};
use remat::nn::MhaInput;
use remat::{
    Checkpoint, Recompute, autocast, autocast_attention, checkpoint, checkpoint_with,
    recompute_with,
};

const D: usize = 8;
const BF16: Precision = Precision::BF16;

fn linear(device: &Device) -> Linear {
    LinearConfig::new(D, D).init(device)
}

fn low(linear: &Linear, x: Tensor<2>) -> Tensor<2> {
    autocast(BF16, linear, (x,), |linear, (x,)| linear.forward(x))
}

/// One layer, five times: enough gradients for their order to show.
fn five_times(linear: &Linear, x: Tensor<2>) -> Tensor<2> {
    (0..5).fold(x, |x, _| low(linear, x).tanh())
}

type Numbers = (TensorData, Vec<Option<TensorData>>);

/// Without a scope, with one, and with one that is open in the backward pass, too.
fn with_and_without<M: Module>(model: &M, forward: impl Fn(&M) -> Tensor<1>) -> [Numbers; 3] {
    let in_scope = run(model, |model| {
        let _casts = CastScope::of(model);
        forward(model)
    });
    let longer = {
        let _casts = CastScope::of(model);
        run(model, &forward)
    };
    [run(model, &forward), in_scope, longer]
}

fn assert_equal([without, others @ ..]: [Numbers; 3]) {
    assert!(
        without.1.iter().any(Option::is_some),
        "nothing was compared"
    );
    for with in others {
        assert_same(&with.0, &without.0);
        assert_all_same(&with.1, &without.1);
    }
}

#[test]
fn a_layer_in_a_loop() {
    for device in [device(), device().gradient_checkpointing()] {
        let x = numbers([5, D], &device);
        let model = linear(&device);
        assert_equal(with_and_without(&model, |model| {
            loss(five_times(model, x.clone()))
        }));
        for precision in LOW {
            let mlp = Mlp::new(D, &device);
            assert_equal(with_and_without(&mlp, |mlp| {
                let each = |x| autocast(precision, mlp, (x,), |mlp: &Mlp, (x,)| mlp.forward(x));
                loss((0..3).fold(x.clone(), |x, _| each(x)))
            }));
        }
    }
}

#[test]
fn a_weight_of_two_fields() {
    let device = device();
    let first = linear(&device);
    let model = (first.clone(), linear(&device), first);
    let x = numbers([5, D], &device);
    assert_equal(with_and_without(&model, |(a, b, c)| {
        loss(low(c, low(b, low(a, x.clone()))))
    }));
}

/// Trained, frozen, and the result of an operation, which is neither.
#[test]
fn parameters_of_every_standing() {
    let device = device();
    let x = numbers([5, D], &device).require_grad();
    let of_x = |model: &Linear, scope: bool| {
        let casts = scope.then(|| CastScope::of(model));
        let y = five_times(model, x.clone());
        drop(casts);
        x.grad(&loss(y).backward()).expect("a gradient").into_data()
    };
    let frozen = linear(&device).no_grad();
    assert_same(&of_x(&frozen, true), &of_x(&frozen, false));

    let master = linear(&device);
    // A graph of its own for each backward pass.
    let of_master = |scope: bool| {
        let mut scaled = master.clone();
        scaled.weight = scaled.weight.map(|weight| weight * 0.5);
        let casts = scope.then(|| CastScope::of(&scaled));
        let y = five_times(&scaled, x.clone());
        drop(casts);
        let gradient = master.weight.val().grad(&loss(y).backward());
        gradient.expect("a gradient").into_data()
    };
    assert_same(&of_master(true), &of_master(false));
}

/// What is frozen and what is trained may be one tensor: a constant that is made a leaf keeps its place in the graph.
#[test]
fn a_constant_and_a_leaf_of_one_tensor() {
    let device = device();
    let frozen = linear(&device).no_grad();
    let trained = frozen.clone().set_require_grad(true);
    let x = numbers([5, D], &device);
    let both = (frozen, trained);
    let gradient = |scope: bool| {
        let casts = scope.then(|| CastScope::of(&both));
        let y = autocast(
            BF16,
            &both,
            (x.clone(),),
            |(a, b): &(Linear, Linear), (x,)| b.forward(a.forward(x)),
        );
        let y = low(&both.1, low(&both.0, y));
        drop(casts);
        let gradient = both.1.weight.val().grad(&loss(y).backward());
        gradient.expect("a gradient").into_data()
    };
    assert_same(&gradient(true), &gradient(false));

    // Two inputs are no other matter.
    let leaf = x.clone().require_grad();
    let model = linear(&device);
    let y = autocast(BF16, &model, [x, leaf.clone()], |m, [a, b]| {
        m.forward(a) + m.forward(b)
    });
    assert!(leaf.grad(&y.sum().backward()).is_some());
}

/// Two parameters with one id and other values (an average of weights is made from a clone) stay two.
#[test]
fn parameters_that_share_an_id() {
    let device = device();
    let first = linear(&device);
    let mut second = first.clone();
    second.weight = second.weight.map(|weight| (weight * 2.0).detach());
    let x = numbers([5, D], &device);
    let _casts = CastScope::of(&(first.clone(), second.clone()));
    assert_eq!(first.weight.id, second.weight.id);
    let (a, b) = (low(&first, x.clone()), low(&second, x));
    assert_ne!(a.into_data(), b.into_data());
}

/// A parameter that changes while the scope is open is another one.
#[test]
fn an_update_inside() {
    let device = device();
    let mut model = linear(&device);
    let x = numbers([5, D], &device);
    let _casts = CastScope::of(&model);
    let before = low(&model, x.clone());
    model.weight = model
        .weight
        .map(|weight| (weight * 2.0).detach().require_grad());
    let after = low(&model, x.clone()).into_data();
    assert_ne!(before.into_data(), after);
    assert_same(&after, &low(&model.clone(), x).into_data());
}

#[test]
fn an_attention() {
    let device = device();
    let attention: MultiHeadAttention = MultiHeadAttentionConfig::new(D, 2)
        .with_dropout(0.0)
        .init(&device);
    let x = numbers([2, 3, D], &device);
    assert_equal(with_and_without(&attention, |attention| {
        let each = |x| autocast_attention(BF16, attention, MhaInput::self_attn(x)).context;
        loss((0..3).fold(x.clone(), |x, _| each(x)))
    }));
}

/// C21: segments run copies, so a scope outside changes neither of their runs; one inside is each run's own.
#[test]
fn c21_segments() {
    let device = device();
    let model = linear(&device);
    let x = numbers([5, D], &device);
    let outside = |linear: &Linear, (x,): (Tensor<2>,)| five_times(linear, x);
    let inside = |linear: &Linear, (x,): (Tensor<2>,)| {
        let _casts = CastScope::of(linear);
        five_times(linear, x)
    };
    let plain = run(&model, |m| loss(five_times(m, five_times(m, x.clone()))));
    for segment in [outside, inside] {
        let numbers = with_and_without(&model, |m| {
            let h = checkpoint(m, (low(m, x.clone()),), segment);
            loss(checkpoint(m, (low(m, h),), segment))
        });
        assert_equal(numbers);
        let numbers = with_and_without(&model, |m| {
            let h = checkpoint(m, (x.clone(),), segment);
            loss(checkpoint(m, (h,), segment))
        });
        assert_same(&numbers[0].0, &plain.0);
        assert_all_same(&numbers[0].1, &plain.1);
        assert_equal(numbers);
        let options = Recompute::new();
        assert_equal(with_and_without(&model, |m| {
            let h = recompute_with(options, m, (x.clone(),), segment);
            loss(low(m, recompute_with(options, m, (h,), segment)))
        }));
    }
    let options = Checkpoint::new().autocast(remat::Autocast::new(BF16));
    assert_equal(with_and_without(&model, |m| {
        let each = |x| checkpoint_with(options, m, (x,), |m, (x,)| m.forward(x));
        loss(each(each(low(m, x.clone()))))
    }));
}

/// Two threads, each with a fork of the model (of one model, burn's threads wait for each other forever), one in a scope.
#[test]
fn threads() {
    let device = device();
    let model = linear(&device);
    let of = |scope: bool| {
        let model = model.clone().fork(&device);
        let x = numbers([5, D], &device);
        let casts = scope.then(|| CastScope::of(&model));
        let results = (0..20).map(|_| run(&model, |m| loss(five_times(m, x.clone()))));
        let results: Vec<Numbers> = results.collect();
        drop(casts);
        results
    };
    let (with, without) = std::thread::scope(|threads| {
        let with = threads.spawn(|| of(true));
        let without = threads.spawn(|| of(false));
        (with.join().unwrap(), without.join().unwrap())
    });
    for (with, without) in with.iter().zip(&without) {
        assert_same(&with.0, &without.0);
        assert_all_same(&with.1, &without.1);
    }
}
