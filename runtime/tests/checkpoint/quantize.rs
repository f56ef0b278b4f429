//! `remat::quantize` and strategies that keep compressed inputs, against plain burn: the same values, and gradients that
//! are near.

use crate::support::{assert_all_same, assert_same, device, error, loss, numbers, run};
use burn::module::Module;
use burn::nn::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::{Gelu, LayerNorm, LayerNormConfig, Linear, LinearConfig, Relu};
use burn::tensor::{Device, Tensor};
use remat::nn::{Attention, MhaInput};
use remat::{
    Checkpoint, Quantize, Recompute, RecomputeAttention, Rounding, Segments,
    checkpoint_sequence_with, checkpoint_with, quantize, recompute_attention_with, recompute_with,
    without_strategies,
};

const D: usize = 32;

/// Q19: the same loss to the bit; gradients that are near those of plain burn, nearer with more bits, but not the same.
fn check<M: Module>(model: &M, forward: impl Fn(&M, Quantize) -> Tensor<1>) {
    let errors = [8, 4, 2].map(|bits| {
        let options = Quantize::bits(bits).min_elements(0);
        let (value, grads) = run(model, |model| forward(model, options));
        let (plain_value, plain) =
            without_strategies(|| run(model, |model| forward(model, options)));
        assert_same(&value, &plain_value);
        error(&grads, &plain)
    });
    let [eight, four, two] = errors;
    assert!(0.0 < eight && eight < 0.02, "{errors:?}");
    assert!(
        eight < four && four < 0.3 && four < two && two < 1.5,
        "{errors:?}"
    );
}

fn linear(device: &Device) -> Linear {
    LinearConfig::new(D, D).init(device)
}

fn apply<const R: usize>(options: Quantize, linear: &Linear, x: Tensor<R>) -> Tensor<R> {
    quantize(options, linear, (x,), |linear, (x,)| linear.forward(x))
}

#[test]
fn layers() {
    let device = device();
    let x = numbers([16, D], &device);
    check(
        &(linear(&device), linear(&device), Gelu::new()),
        |(first, second, gelu), options| {
            let h = first.forward(x.clone());
            let h = quantize(options, gelu, (h,), |gelu, (h,)| gelu.forward(h));
            loss(apply(options, second, h))
        },
    );
}

/// One bit is enough for the exact gradient of a `Relu`, also where its input is 0, infinite or NaN.
#[test]
fn signs_of_a_relu() {
    let device = device();
    let model = (linear(&device), linear(&device));
    let x = numbers([16, D], &device);
    let forward = |(first, second): &(Linear, Linear)| {
        let options = Quantize::bits(1).min_elements(0);
        let h = first.forward(x.clone());
        loss(
            second.forward(quantize(options, &Relu::new(), (h,), |relu, (h,)| {
                relu.forward(h)
            })),
        )
    };
    let (value, grads) = run(&model, forward);
    let (plain_value, plain) = without_strategies(|| run(&model, forward));
    assert_same(&value, &plain_value);
    assert_all_same(&grads, &plain);

    let odd = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        1e-30,
        -1e-30,
    ];
    let gradient = || {
        let leaf = Tensor::<1>::from_floats(odd, &device).require_grad();
        let h = leaf.clone() * 1.0;
        let options = Quantize::bits(1).min_elements(0);
        let y = quantize(options, &Relu::new(), (h,), |relu, (h,)| relu.forward(h));
        leaf.grad(&y.sum().backward()).unwrap().into_data()
    };
    assert_same(&gradient(), &without_strategies(gradient));
}

/// Q17: what is not tracked, small, a leaf, or no float is kept as it is: then gradients are exact.
#[test]
fn what_is_not_compressed() {
    let device = device();
    let model = (linear(&device), linear(&device));
    let exact = |forward: &dyn Fn(&(Linear, Linear)) -> Tensor<1>| {
        let (_, grads) = run(&model, forward);
        let (_, plain) = without_strategies(|| run(&model, forward));
        assert_all_same(&grads, &plain);
    };
    let all = Quantize::bits(2).min_elements(0);
    let constant = numbers([16, D], &device);
    exact(&|(first, _)| loss(apply(all, first, constant.clone())));
    let leaf = constant.clone().require_grad();
    exact(&|(first, _)| loss(apply(all, first, leaf.clone())));
    let large = Quantize::bits(2).min_elements(16 * D + 1);
    exact(&|(first, second)| loss(apply(large, second, first.forward(constant.clone()))));
}

/// Q17: several layers of one input: it is compressed once, so all see the same values, whatever is drawn.
#[test]
fn a_tensor_is_compressed_once() {
    let device = device();
    let (first, layer) = (linear(&device), linear(&device));
    let x = numbers([16, D], &device);
    let options = Quantize::bits(2).min_elements(0);
    let gradient = |same: bool| {
        let h = first.forward(x.clone());
        let other = if same { h.clone() } else { h.clone() * 1.0 };
        // What the two weights' gradients differ in is what their inputs differ in.
        let layers =
            [layer.clone().no_grad(), layer.clone().no_grad()].map(|layer| layer.map(&mut Fresh));
        let y = apply(options, &layers[0], h) + apply(options, &layers[1], other);
        let grads = y.sum().backward();
        layers.map(|layer| layer.weight.val().grad(&grads).unwrap().into_data())
    };
    let [one, two] = gradient(true);
    assert_eq!(one, two);
    let [one, two] = gradient(false);
    assert_ne!(one, two);
}

/// Leaves of their own.
struct Fresh;

impl burn::module::ModuleMapper for Fresh {
    fn map_float<const R: usize>(
        &mut self,
        param: burn::module::Param<Tensor<R>>,
    ) -> burn::module::Param<Tensor<R>> {
        param.map(|value| value.detach().require_grad())
    }
}

#[test]
fn segments() {
    let device = device();
    let layers: Vec<Linear> = (0..5).map(|_| linear(&device)).collect();
    let x = numbers([16, D], &device);
    check(&layers, |layers, options| {
        let options = Checkpoint::named("Net.layers").quantize(options);
        let step = |x, layer| {
            checkpoint_with(
                options,
                layer,
                (x,),
                |layer: &Linear, (x,): (Tensor<2>,)| layer.forward(x).tanh(),
            )
        };
        loss(layers.iter().fold(x.clone(), step))
    });
    for segments in [Segments::every(2), Segments::recursive()] {
        check(&layers, |layers, options| {
            let options = Checkpoint::named("Net.layers")
                .quantize(options)
                .segments(segments);
            let y = checkpoint_sequence_with(options, layers, x.clone(), (), |_, layer, x, ()| {
                layer.forward(x).tanh()
            });
            loss(y)
        });
    }
}

/// An output that is computed again from a compressed input is near, for its consumers too.
#[test]
fn recomputed_layers() {
    type Net = (Linear, LayerNorm, Linear, Gelu, Linear);
    let device = device();
    let norm = LayerNormConfig::new(D).init(&device);
    let model: Net = (
        linear(&device),
        norm,
        linear(&device),
        Gelu::new(),
        linear(&device),
    );
    let x = numbers([16, D], &device);
    check(&model, |(first, norm, second, gelu, third), options| {
        let options = Recompute::named("Net.cheap").quantize(options);
        let x = first.forward(x.clone());
        let h = recompute_with(options, norm, (x.clone(),), |norm, (x,)| norm.forward(x));
        let h = recompute_with(options, gelu, (second.forward(h),), |gelu, (h,)| {
            gelu.forward(h)
        });
        loss(x + third.forward(h))
    });
    // A chain: the compressed tensor is another layer's, and the second layer's input comes of it.
    check(&model, |(first, norm, _, gelu, third), options| {
        let exact = Recompute::named("Net.cheap");
        let x = first.forward(x.clone());
        let h = quantize(options, norm, (x,), |norm, (x,)| {
            let h = recompute_with(Recompute::new(), norm, (x,), |norm, (x,)| norm.forward(x));
            recompute_with(Recompute::new(), &Gelu::new(), (h,), |gelu, (h,)| {
                gelu.forward(h)
            })
        });
        let h = recompute_with(exact, gelu, (h,), |gelu, (h,)| gelu.forward(h));
        loss(third.forward(h))
    });
}

#[test]
fn attention() {
    let device = device();
    let layer = MultiHeadAttentionConfig::new(D, 4)
        .with_dropout(0.0)
        .init(&device);
    let model: (Linear, MultiHeadAttention) = (linear(&device), layer);
    let x = numbers([2, 9, D], &device);
    check(&model, |(first, attention), options| {
        let options = RecomputeAttention::named("Net.attention").quantize(options);
        let x = first.forward(x.clone());
        loss(recompute_attention_with(options, attention, MhaInput::self_attn(x)).context)
    });
    check(&model, |(first, _), options| {
        let h = first
            .forward(x.clone())
            .reshape([2, 9, 4, D / 4])
            .swap_dims(1, 2);
        loss(
            Attention::new()
                .causal()
                .quantize(options)
                .forward(h.clone(), h.clone(), h),
        )
    });
}

/// Nearest rounding is the same each time, stochastic rounding after the same seed; neither moves masks.
#[test]
fn rounding() {
    let device = device();
    let model = (linear(&device), linear(&device));
    let x = numbers([16, D], &device);
    let gradient = |options: Quantize| {
        let forward = |(first, second): &(Linear, Linear)| {
            loss(apply(
                options.min_elements(0),
                second,
                first.forward(x.clone()),
            ))
        };
        run(&model, forward).1
    };
    let nearest = Quantize::bits(2).rounding(Rounding::Nearest);
    assert_all_same(&gradient(nearest), &gradient(nearest));
    let stochastic = Quantize::bits(2);
    assert_ne!(
        gradient(stochastic),
        gradient(stochastic),
        "each call has numbers of its own"
    );
}

/// Q04: an overflow is not hidden.
#[test]
fn infinity_stays() {
    let device = device();
    let layer = linear(&device);
    let x = Tensor::<2>::ones([16, D], &device).require_grad() * f32::INFINITY;
    let options = Quantize::bits(8).min_elements(0);
    let (_, grads) = run(&layer, |layer| apply(options, layer, x.clone()).sum());
    let weight: Vec<f32> = grads[0].as_ref().unwrap().iter().collect();
    assert!(weight.iter().all(|value| !value.is_finite()));
}

#[test]
fn a_comparison_says_which_field_it_is() {
    type Net = (Linear, Linear, Linear);
    let device = device();
    let model: Net = (linear(&device), linear(&device), linear(&device));
    let x = numbers([16, D], &device);
    let comparison = quantize::compare(&model, x, |(first, second, third): &Net, x| {
        let coarse = Quantize::bits(2).named("Net.coarse").min_elements(0);
        let fine = Quantize::bits(8).named("Net.fine").min_elements(0);
        let h = apply(coarse, second, first.forward(x).tanh());
        loss(apply(fine, third, h.tanh()))
    });
    let [coarse, fine] = &comparison.fields[..] else {
        panic!("{comparison}");
    };
    assert_eq!((coarse.name, fine.name), ("Net.coarse", "Net.fine"));
    assert!(
        coarse.relative_error > 10.0 * fine.relative_error,
        "{comparison}"
    );
    assert_eq!(fine.suggestion(), None);
    let second = &comparison.parameters[2];
    assert_eq!(
        (second.path.as_str(), second.worst_field),
        ("1.weight", Some("Net.coarse"))
    );
    assert!(
        second.cosine < 0.9999 && second.relative_error > 0.0,
        "{comparison}"
    );
    assert_eq!(comparison.parameters[0].worst_field, None, "{comparison}");
    let text = comparison.to_string();
    assert!(
        text.contains("use more bits") && text.contains("1.weight"),
        "{text}"
    );
}
