//! `remat::frozen_stats`: the running statistics in training.

use crate::support::{assert_same, device, loss, numbers, run};
use burn::module::Module;
use burn::nn::{
    BatchNorm, BatchNormConfig, Dropout, DropoutConfig, Embedding, EmbeddingConfig, Linear,
    LinearConfig,
};
use burn::tensor::{Device, Int, Tensor, Tolerance};
use remat::{FrozenStats, checkpoint, frozen_stats, frozen_stats_with, without_strategies};

const D: usize = 4;

/// A norm whose statistics are not those of the batch.
fn norm(device: &Device) -> BatchNorm {
    let norm = BatchNormConfig::new(D).init(device);
    for _ in 0..3 {
        let _ = norm.forward(numbers([5, D], device) * 2.0 + 1.0);
    }
    norm
}

fn statistics(norm: &BatchNorm) -> [Vec<f32>; 2] {
    let values = |tensor: Tensor<1>| tensor.into_data().try_to_vec().unwrap();
    [
        norm.running_mean.value_sync(),
        norm.running_var.value_sync(),
    ]
    .map(values)
}

fn frozen(norm: &BatchNorm, x: Tensor<2>) -> Tensor<2> {
    frozen_stats(norm, (x,), |norm, (x,)| norm.forward(x))
}

fn updating(norm: &BatchNorm, x: Tensor<2>) -> Tensor<2> {
    let options = FrozenStats::named("Net.norm").updating();
    frozen_stats_with(options, norm, (x,), |norm, (x,)| norm.forward(x))
}

/// Against the formula, written in plain operations with the statistics as constants.
#[test]
fn the_affine_part_only() {
    let device = device();
    let norm = norm(&device);
    let before = statistics(&norm);
    let x = || numbers([6, D], &device).require_grad();
    let by_hand = |norm: &BatchNorm, x: Tensor<2>| {
        let row = |values: &[f32]| Tensor::<1>::from_floats(values, &device).unsqueeze::<2>();
        let [mean, var] = &before;
        let normal = (x - row(mean)) / (row(var) + norm.epsilon).sqrt();
        normal * norm.gamma.val().unsqueeze() + norm.beta.val().unsqueeze()
    };
    let (ours, theirs) = (x(), x());
    let tolerance = Tolerance::<f32>::rel_abs(1e-5, 1e-6);
    let (value, grads) = run(&norm, |norm| loss(frozen(norm, ours.clone())));
    let (expected, expected_grads) = run(&norm, |norm| loss(by_hand(norm, theirs.clone())));
    value.assert_approx_eq::<f32>(&expected, tolerance);
    assert_eq!(grads.iter().flatten().count(), 2, "gamma and beta");
    for (gradient, expected) in grads.iter().flatten().zip(expected_grads.iter().flatten()) {
        gradient.assert_approx_eq::<f32>(expected, tolerance);
    }
    let gradient = |x: &Tensor<2>, y: Tensor<2>| x.grad(&loss(y).backward()).unwrap().into_data();
    let of_input = gradient(&ours, frozen(&norm, ours.clone()));
    of_input.assert_approx_eq::<f32>(
        &gradient(&theirs, by_hand(&norm, theirs.clone())),
        tolerance,
    );
    assert_eq!(statistics(&norm), before);
}

/// What burn's own freezing gives, but for gamma and beta, which it does not train.
#[test]
fn the_output_is_that_of_inference() {
    let device = device();
    let norm = norm(&device);
    let x = numbers([6, D], &device);
    let y = frozen(&norm, x.clone()).into_data();
    assert_same(&y, &norm.valid().forward(x.clone().inner()).into_data());
    let freezed = norm.clone().freeze();
    assert_same(&y, &freezed.forward(x.clone()).into_data());
    // In inference it is the plain call.
    assert_same(&y, &frozen(&norm.valid(), x.clone().inner()).into_data());
    // And it is not a strategy that could be off.
    let off = without_strategies(|| frozen(&norm, x).into_data());
    assert_same(&y, &off);
}

/// The statistics move as in plain training, and are used as they were before.
#[test]
fn the_variant_that_keeps_updating() {
    let device = device();
    let (ours, plain) = (norm(&device), norm(&device));
    for step in 0..3 {
        let x = numbers([6, D], &device).add_scalar(step);
        let before = ours.valid().forward(x.clone().inner());
        let y = updating(&ours, x.clone());
        assert_same(&y.into_data(), &before.into_data());
        let _ = plain.forward(x);
        assert_eq!(statistics(&ours), statistics(&plain));
    }
    let inference = numbers([6, D], &device).inner();
    let before = statistics(&ours);
    let _ = updating(&ours.valid(), inference);
    let _ = updating(&ours.clone().freeze(), numbers([6, D], &device));
    assert_eq!(statistics(&ours), before);
}

type Net = (Linear, BatchNorm, Dropout, Vec<BatchNorm>);

fn net(device: &Device) -> Net {
    (
        LinearConfig::new(D, D).init(device),
        norm(device),
        DropoutConfig::new(0.5).init(),
        vec![norm(device), norm(device)],
    )
}

fn forward((linear, norm, dropout, norms): &Net, x: Tensor<2>) -> Tensor<2> {
    let x = dropout.forward(norm.forward(linear.forward(x)));
    norms.iter().fold(x, |x, norm| norm.forward(x))
}

/// Every batch normalisation in a module, and nothing else of it.
#[test]
fn a_whole_model() {
    let device = device();
    let net = net(&device);
    let all = || [&net.1, &net.3[0], &net.3[1]].map(statistics);
    let before = all();
    let x = Tensor::<2>::ones([400, D], &device);
    let y = frozen_stats(&net, (x,), |net, (x,)| forward(net, x));
    assert_eq!(all(), before);
    // Equal rows, but for what dropout does with them.
    let values: Vec<f32> = y.to_data().iter().collect();
    let mut rows = values.chunks(D);
    let first = rows.next();
    assert!(rows.any(|row| Some(row) != first));
    let (_, grads) = run(&net, |_| loss(y.clone()));
    assert_eq!(grads.iter().flatten().count(), 8);
}

/// In a segment, the second run normalises as the first, and statistics move once.
#[test]
fn inside_a_checkpoint() {
    let device = device();
    let (ours, plain) = (norm(&device), norm(&device));
    let x = numbers([6, D], &device).require_grad();
    let segment = loss(checkpoint(&ours, (x.clone(),), |norm, (x,)| {
        updating(norm, x)
    }));
    let direct = loss(updating(&plain, x.clone()));
    let gradient = |y: Tensor<1>| x.grad(&y.backward()).unwrap().into_data();
    assert_same(&gradient(segment), &gradient(direct));
    assert_eq!(statistics(&ours), statistics(&plain));
}

#[test]
#[should_panic(
    expected = "remat: frozen_stats of `Net.linear` (burn_nn::modules::linear::Linear): it contains no `BatchNorm`"
)]
fn nothing_to_freeze() {
    let device = device();
    let linear: Linear = LinearConfig::new(D, D).init(&device);
    let options = FrozenStats::named("Net.linear");
    let _ = frozen_stats_with(
        options,
        &linear,
        (numbers([2, D], &device),),
        |linear, (x,)| linear.forward(x),
    );
}

#[test]
#[should_panic(expected = "it contains 3 batch normalisations")]
fn more_than_one_to_update() {
    let device = device();
    let options = FrozenStats::new().updating();
    let _ = frozen_stats_with(
        options,
        &net(&device),
        (numbers([2, D], &device),),
        |net, (x,)| forward(net, x),
    );
}

/// Training is seen without any float input: tokens, on the model's device or without autodiff, or nothing.
#[test]
fn inputs_without_floats() {
    type Tokens = (Embedding, BatchNorm);
    let device = device();
    let model: Tokens = (EmbeddingConfig::new(5, D).init(&device), norm(&device));
    let before = statistics(&model.1);
    for device in [device.clone(), device.without_autodiff()] {
        let tokens = Tensor::<2, Int>::from_data([[0, 1, 2]], &device);
        let y = frozen_stats(&model, (tokens,), |(embedding, norm), (tokens,)| {
            norm.forward(embedding.forward(tokens).flatten::<2>(0, 1))
        });
        assert!(y.is_tracked());
        assert_eq!(statistics(&model.1), before);
    }
    let _ = frozen_stats(&model, (), |(embedding, norm), ()| {
        norm.forward(embedding.weight.val())
    });
    assert_eq!(statistics(&model.1), before);
}
