//! What a cast layer computes: the numbers of a model cast by hand, to the bit.

use super::{LOW, assert_all_f32, cast_by_hand, dtypes};
use crate::support::{Mlp, assert_all_same, assert_same, device, gradients, loss, numbers, run};
use burn::module::{Lora, Module, Param};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{EmbeddingConfig, Linear, LinearConfig};
use burn::tensor::{DType, Device, FloatDType, Int, Tensor};
use remat::amp::Precision;
use remat::tape::{Parent, ParentId};
use remat::{Autocast, autocast, autocast_with, without_strategies};

const D: usize = 8;

fn id<const R: usize>(tensor: &Tensor<R>) -> Option<ParentId> {
    Parent::of(tensor).map(|parent| parent.id())
}

fn linear(device: &Device) -> Linear {
    LinearConfig::new(D, D).init(device)
}

/// S18: a product of x and w in 16 bits, and gradients of the f32 masters in f32.
#[test]
fn s18_as_cast_by_hand() {
    for (device, precision) in [device(), device().gradient_checkpointing()]
        .into_iter()
        .flat_map(|device| LOW.map(|precision| (device.clone(), precision)))
    {
        let model = Mlp::new(D, &device);
        for tracked in [false, true] {
            let leaf = numbers([5, D], &device).set_require_grad(tracked);
            let (value, grads) = run(&model, |model| {
                loss(autocast(
                    precision,
                    model,
                    (leaf.clone() * 1.0,),
                    |m, (x,)| m.forward(x),
                ))
            });
            let (by_hand, by_hand_grads) = run(&model, |model| {
                let low = cast_by_hand(model, precision.dtype());
                let y = low.forward((leaf.clone() * 1.0).cast(precision.dtype()));
                loss(y.cast(FloatDType::F32))
            });
            assert_same(&value, &by_hand);
            assert_all_same(&grads, &by_hand_grads);
            assert!(grads.iter().all(Option::is_some));
            assert_all_f32(&grads);
        }
        assert!(dtypes(&model).iter().all(|dtype| *dtype == DType::F32));
    }
}

#[test]
fn the_gradient_of_the_input() {
    let device = device();
    let model = Mlp::new(D, &device);
    let x = numbers([5, D], &device).require_grad();
    let inputs: [fn(&Tensor<2>) -> Tensor<2>; 2] = [Tensor::clone, |x| x.clone() * 1.0];
    let of = |y: Tensor<2>| x.grad(&loss(y).backward()).expect("a gradient").into_data();
    for input in inputs {
        let by_hand = cast_by_hand(&model, FloatDType::BF16);
        let by_hand = by_hand.forward(input(&x).cast(FloatDType::BF16));
        let expected = of(by_hand.cast(FloatDType::F32));
        let y = autocast(Precision::BF16, &model, (input(&x),), |m, (x,)| {
            m.forward(x)
        });
        assert_same(&of(y), &expected);
    }
}

/// The outputs are as the caller has its inputs, or as the options say.
#[test]
fn dtypes_of_outputs() {
    let device = device();
    let model = linear(&device);
    let x = numbers([5, D], &device);
    let half = x.clone().cast(FloatDType::BF16);
    let call = |options: Autocast, x: &Tensor<2>| {
        autocast_with(options, &model, (x.clone(),), |m, (x,)| m.forward(x)).dtype()
    };
    let (low, full) = (Precision::BF16, Precision::F32);
    assert_eq!(call(Autocast::new(low), &x), DType::F32);
    assert_eq!(call(Autocast::new(low), &half), DType::BF16);
    assert_eq!(call(Autocast::new(full), &half), DType::BF16);
    assert_eq!(call(Autocast::new(full), &x), DType::F32);
    assert_eq!(call(Autocast::new(low).output(low), &x), DType::BF16);
    assert_eq!(call(Autocast::new(low).output(full), &half), DType::F32);
}

/// Without a float input, the outputs are in the parameters' precision; integers stay integers.
#[test]
fn several_outputs_and_inputs_of_every_kind() {
    let device = device();
    let embedding = EmbeddingConfig::new(10, D).init(&device);
    let tokens = Tensor::<2, Int>::from_ints([[1, 2, 3]], &device);
    let inputs = (tokens.clone(), None::<Tensor<1>>, 2.0_f32);
    let (y, again, nothing) = autocast(
        Precision::BF16,
        &embedding,
        inputs,
        |embedding, (tokens, none, factor)| {
            let y = embedding.forward(tokens.clone()) * factor;
            assert_eq!(y.dtype(), DType::BF16);
            (y, Some(tokens), none)
        },
    );
    assert_eq!(y.dtype(), DType::F32);
    assert!(nothing.is_none());
    assert_eq!(again.unwrap().to_data(), tokens.to_data());
    let expected = embedding.forward(tokens).cast(FloatDType::BF16) * 2.0;
    assert_same(&y.to_data(), &expected.cast(FloatDType::F32).to_data());
    let gradient = embedding.weight.val().grad(&y.sum().backward());
    assert_eq!(gradient.unwrap().dtype(), DType::F32);
}

/// Clones of one input, and one parameter in two places, are one tensor inside as well.
#[test]
fn each_tensor_is_cast_once() {
    let device = device();
    let tied = linear(&device);
    let model = (tied.clone(), tied.clone());
    for tracked in [false, true] {
        let x = numbers([5, D], &device).set_require_grad(tracked) * 1.0;
        let y = autocast(
            Precision::BF16,
            &model,
            [x.clone(), x.clone()],
            |(first, second): &(Linear, Linear), [a, b]| {
                assert_eq!(id(&a), id(&b));
                assert_eq!(id(&first.weight.val()), id(&second.weight.val()));
                second.forward(first.forward(a)) + b
            },
        );
        let grads = y.sum().backward();
        assert!(tied.weight.val().grad(&grads).is_some());
        assert!(id(&x).is_some() == tracked);
    }
}

/// Two parameters with one id and other values (an average of weights is made from a clone) stay two.
#[test]
fn parameters_that_share_an_id() {
    let device = device();
    let first = linear(&device).no_grad();
    let mut second = first.clone();
    second.weight = second.weight.map(|weight| weight * 2.0);
    assert_eq!(first.weight.id, second.weight.id);
    let x = numbers([5, D], &device);
    let call = |model: &(Linear, Linear), x| {
        let (a, b) = autocast(
            Precision::BF16,
            model,
            (x,),
            |(a, b): &(Linear, Linear), (x,): (Tensor<2>,)| (a.forward(x.clone()), b.forward(x)),
        );
        assert_ne!(a.to_data(), b.to_data());
    };
    call(&(first, second), x);
}

#[test]
fn frozen_parameters_get_no_gradient() {
    let device = device();
    let mut model = Mlp::new(D, &device);
    model.up = model.up.no_grad();
    let x = numbers([5, D], &device);
    let (_, grads) = run(&model, |model| {
        loss(autocast(
            Precision::BF16,
            model,
            (x.clone(),),
            |m: &Mlp, (x,)| m.forward::<2>(x),
        ))
    });
    let given: Vec<bool> = grads.iter().map(Option::is_some).collect();
    assert_eq!(given, [false, false, true, true]);
}

#[test]
fn low_rank_adapters_are_trained() {
    let device = device();
    let model = Mlp::new(D, &device).apply_lora(Lora::new(2, 2.0));
    let x = numbers([5, D], &device);
    let call = |model: &Mlp| {
        let call = |m: &Mlp, (x,): (Tensor<2>,)| m.forward(x);
        loss(autocast(Precision::BF16, model, (x.clone(),), call))
    };
    let (value, grads) = run(&model, call);
    assert_all_f32(&grads);
    let by_hand = cast_by_hand(&model, FloatDType::BF16);
    let by_hand = by_hand.forward(x.clone().cast(FloatDType::BF16));
    assert_same(&value, &loss(by_hand.cast(FloatDType::F32)).into_data());
    let (_, plain) = without_strategies(|| run(&model, call));
    let given = |grads: &[Option<_>]| grads.iter().map(Option::is_some).collect::<Vec<_>>();
    assert_eq!(given(&grads), given(&plain));
}

/// The call runs in the precision also where nothing is trained, unless strategies are off.
#[test]
fn inference_and_without_strategies() {
    let device = device().without_autodiff();
    let model = Mlp::new(D, &device);
    let x = numbers([5, D], &device);
    let call = || {
        let call = |m: &Mlp, (x,): (Tensor<2>,)| m.forward(x);
        autocast(Precision::BF16, &model, (x.clone(),), call)
    };
    let by_hand = cast_by_hand(&model, FloatDType::BF16);
    let by_hand = by_hand.forward(x.clone().cast(FloatDType::BF16));
    assert_same(&call().to_data(), &by_hand.cast(FloatDType::F32).to_data());
    let plain = without_strategies(call);
    assert_same(&plain.to_data(), &model.forward(x.clone()).to_data());
    assert_ne!(call().to_data(), plain.to_data());
}

#[test]
fn convolutions() {
    let device = device();
    let conv: Conv2d = Conv2dConfig::new([2, 3], [3, 3]).init(&device);
    let x = numbers([2, 2, 5, 5], &device);
    let call = |m: &Conv2d, (x,): (Tensor<4>,)| m.forward(x);
    let y = autocast(Precision::BF16, &conv, (x.clone(),), call);
    let expected = cast_by_hand(&conv, FloatDType::BF16).forward(x.cast(FloatDType::BF16));
    assert_same(&y.to_data(), &expected.cast(FloatDType::F32).to_data());
    let mut grads = y.sum().backward();
    assert!(gradients(&conv, &mut grads).iter().all(Option::is_some));
}

/// A parameter that is not a leaf, but made of one.
#[test]
fn parameters_that_are_results() {
    let device = device();
    let mut model = linear(&device);
    let master = numbers([D, D], &device).require_grad();
    model.weight = Param::initialized(model.weight.id, master.clone() * 2.0);
    let x = numbers([5, D], &device);
    let y = autocast(Precision::BF16, &model, (x,), |m: &Linear, (x,)| {
        m.forward::<2>(x)
    });
    let gradient = master.grad(&y.sum().backward()).expect("a gradient");
    assert_eq!(gradient.dtype(), DType::F32);
}
