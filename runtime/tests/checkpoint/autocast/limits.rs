//! What is not cast, and what is said about it.

use super::{dtypes, panic_of};
use crate::support::{Mlp, assert_same, device, numbers};
use burn::module::{Module, RunningState};
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::loss::{BinaryCrossEntropyLossConfig, MseLoss, Reduction};
use burn::nn::{
    BatchNorm, BatchNormConfig, EmbeddingConfig, LayerNorm, LayerNormConfig, Linear, LinearConfig,
    Lstm, LstmConfig,
};
use burn::tensor::{DType, Device, FloatDType, Int, Tensor};
use remat::amp::{Precision, assert_one_dtype};
use remat::{Autocast, autocast, autocast_with};

const D: usize = 8;

/// S18: binary cross entropy on probabilities, in 16 bits.
#[test]
fn s18_losses_are_refused() {
    let device = device();
    let loss = BinaryCrossEntropyLossConfig::new().init(&device);
    let (p, targets) = (numbers([4], &device), Tensor::<1, Int>::ones([4], &device));
    let message = panic_of(|| {
        autocast(Precision::F16, &loss, (p, targets), |loss, (p, targets)| {
            loss.forward(p, targets)
        })
    });
    assert!(message.contains("Compute it in f32"), "{message}");

    let x = numbers([4], &device).cast(FloatDType::BF16);
    let call = |loss: &MseLoss, (x, y): (Tensor<1>, Tensor<1>)| loss.forward(x, y, Reduction::Mean);
    let message = panic_of(|| autocast(Precision::BF16, &MseLoss, (x.clone(), x.clone()), call));
    assert!(message.contains("too coarse"), "{message}");
    // In f32 it is an island.
    let y = autocast(Precision::F32, &MseLoss, (x.clone(), x), call);
    assert_eq!(y.to_data().iter::<f32>().next(), Some(0.0));
}

#[test]
fn normalisation_is_refused_and_an_island_in_f32() {
    type Net = (Linear, LayerNorm);
    let device = device();
    let model: Net = (
        LinearConfig::new(D, D).init(&device),
        LayerNormConfig::new(D).init(&device),
    );
    let call = |(linear, norm): &Net, (x,): (Tensor<2>,)| norm.forward(linear.forward(x));
    let x = numbers([3, D], &device);
    let message = panic_of(|| autocast(Precision::BF16, &model, (x,), call));
    assert!(message.contains("`LayerNorm` (`1.gamma`)"), "{message}");
    assert!(
        message.contains("#[autocast(bf16)]` on a struct"),
        "{message}"
    );

    let norm = LayerNormConfig::new(D).init(&device);
    let x = numbers([3, D], &device).cast(FloatDType::BF16);
    let y = autocast(
        Precision::F32,
        &norm,
        (x.clone(),),
        |norm: &LayerNorm, (x,)| {
            assert_eq!(x.dtype(), DType::F32);
            norm.forward::<2>(x)
        },
    );
    let expected = norm.forward(x.cast(FloatDType::F32)).cast(FloatDType::BF16);
    assert_same(&y.to_data(), &expected.to_data());
    assert!(norm.gamma.val().grad(&y.sum().backward()).is_some());
}

/// burn makes their states in f32.
#[test]
fn recurrent_layers_are_refused() {
    let device = device();
    let lstm = LstmConfig::new(D, D, true).init(&device);
    let x = numbers([2, 3, D], &device);
    let call = |lstm: &Lstm, (x,): (Tensor<3>,)| lstm.forward(x, None).0;
    let message = panic_of(|| autocast(Precision::BF16, &lstm, (x.clone(),), call));
    assert!(message.contains("`Lstm`"), "{message}");
    let half = x.cast(FloatDType::BF16);
    let y = autocast(Precision::F32, &lstm, (half,), call);
    assert_eq!(y.dtype(), DType::BF16);
}

/// Not as it is: there is a call that has its softmax in f32.
#[test]
fn attention_is_taken_apart() {
    let device = device();
    let attention: MultiHeadAttention = MultiHeadAttentionConfig::new(D, 2).init(&device);
    let call =
        |a: &MultiHeadAttention, (x,): (Tensor<3>,)| a.forward(MhaInput::self_attn(x)).context;
    let x = numbers([2, 3, D], &device);
    let message = panic_of(|| autocast(Precision::BF16, &attention, (x.clone(),), call));
    assert!(message.contains("remat::autocast_attention"), "{message}");
    let y = autocast(Precision::F32, &attention, (x,), call);
    assert_eq!(y.dtype(), DType::F32);
}

fn statistics(norm: &BatchNorm) -> [burn::tensor::TensorData; 2] {
    [&norm.running_mean, &norm.running_var].map(|state| state.value_sync().into_data())
}

/// Clones of a module share running statistics, and a cast that is refused must not have written any.
#[test]
fn running_statistics_are_not_touched() {
    type Net = (BatchNorm, Linear);
    let device = device();
    let norm = BatchNormConfig::new(2).init(&device);
    let x = numbers([4, 2], &device);
    let _ = norm.forward(x.clone());
    let before = statistics(&norm);
    let model = (norm.clone(), LinearConfig::new(2, 2).init(&device));
    let call = |(norm, linear): &Net, (x,): (Tensor<2>,)| linear.forward(norm.forward(x));
    let message = panic_of(|| autocast(Precision::BF16, &model, (x.clone(),), call));
    assert!(message.contains("`BatchNorm`"), "{message}");
    assert_eq!(statistics(&norm), before);

    let error = Precision::BF16.cast(&model).unwrap_err().to_string();
    assert!(error.contains("`0.running_mean`"), "{error}");
    assert_eq!(statistics(&norm), before);

    // In f32 it is the layer itself, whose statistics move once.
    let other = BatchNormConfig::new(2).init(&device);
    let half = x.cast(FloatDType::BF16);
    let _ = other.forward(numbers([4, 2], &device));
    let _ = other.forward(half.clone().cast(FloatDType::F32));
    let y = autocast(Precision::F32, &norm, (half,), |norm, (x,)| norm.forward(x));
    assert_eq!(y.dtype(), DType::BF16);
    assert_eq!(statistics(&norm), statistics(&other));
}

/// A state of the user's own type, which looks like a frozen parameter.
#[derive(Module, Debug)]
struct Scaled {
    linear: Linear,
    largest: RunningState<Tensor<1>>,
}

#[test]
fn running_states_of_any_type_are_found() {
    let device: Device = device();
    let model = Scaled {
        linear: LinearConfig::new(D, D).init(&device),
        largest: RunningState::new(Tensor::ones([1], &device)),
    };
    let call = |model: &Scaled, (x,): (Tensor<2>,)| model.linear.forward(x);
    let message = panic_of(|| autocast(Precision::BF16, &model, (numbers([3, D], &device),), call));
    assert!(
        message.contains("running statistic (`largest`)"),
        "{message}"
    );
    assert_eq!(model.largest.value().dtype(), DType::F32);
    assert_eq!(model.largest.value().dims(), [1]);
    // Frozen parameters are none.
    let frozen = model.linear.clone().no_grad();
    let y = autocast(
        Precision::BF16,
        &frozen,
        (numbers([3, D], &device),),
        |m, (x,)| m.forward::<2>(x),
    );
    assert_eq!(y.dtype(), DType::F32);
}

#[test]
fn inputs_in_several_precisions() {
    let device = device();
    let model = Mlp::new(D, &device);
    let x = numbers([3, D], &device);
    let inputs = (x.clone(), x.cast(FloatDType::BF16));
    let call = |m: &Mlp, (a, b): (Tensor<2>, Tensor<2>)| m.forward(a + b);
    let options = Autocast::new(Precision::BF16).named("Block.mix");
    let message = panic_of(|| autocast_with(options, &model, inputs.clone(), call));
    assert!(
        message.starts_with("remat: autocast of `Block.mix`"),
        "{message}"
    );
    assert!(message.contains("in F32 and in BF16"), "{message}");
    let y = autocast_with(options.output(Precision::F32), &model, inputs, call);
    assert_eq!(y.dtype(), DType::F32);
}

/// A stream of 16 bits and a tensor in f32: an error, whichever comes first and whatever is done with them. (burn's own is
/// that of Flex and of fusion.)
#[test]
fn two_precisions_that_meet() {
    let device = device();
    let embedding = EmbeddingConfig::new(10, D).init(&device);
    let tokens = Tensor::<2, Int>::from_ints([[1, 2, 3]], &device);
    let options = Autocast::new(Precision::BF16).output(Precision::BF16);
    let low = autocast_with(options, &embedding, (tokens,), |m, (x,)| m.forward(x));
    let wide = numbers([1, 3, D], &device);
    for (a, b) in [(&low, &wide), (&wide, &low)] {
        let message = panic_of(|| assert_one_dtype(a, &(1, Some(b.clone()))));
        assert!(
            message.contains("in F32") && message.contains("in BF16"),
            "{message}"
        );
        assert_one_dtype(a, a);
        if cfg!(cube) {
            continue;
        }
        let operations: [fn(Tensor<3>, Tensor<3>) -> Tensor<3>; 5] = [
            |a, b| a + b,
            |a, b| a * b,
            |a, b| a / b,
            |a, b| a.matmul(b.swap_dims(1, 2)),
            |a, b| Tensor::cat(vec![a, b], 0),
        ];
        for operation in operations {
            let message = panic_of(|| operation(a.clone(), b.clone()));
            assert!(message.contains("dtype mismatch"), "{message}");
        }
    }
    let [low, wide] = [low, wide].map(|x| x.reshape([1, 1, 3, D]));
    let message = panic_of(|| remat::nn::Attention::new().forward(wide.clone(), low, wide));
    assert!(message.contains("BF16"), "{message}");
}

#[test]
fn modules_that_are_cast_for_good() {
    let device = device();
    let model = Mlp::new(D, &device);
    assert!(dtypes(&model).iter().all(|dtype| *dtype == DType::F32));
    let frozen = Precision::BF16.cast(&model.clone().no_grad()).unwrap();
    assert!(!frozen.up.weight.val().is_require_grad());
    let low = Precision::BF16.cast(&model).unwrap();
    assert!(dtypes(&low).iter().all(|dtype| *dtype == DType::BF16));
    assert!(dtypes(&model).iter().all(|dtype| *dtype == DType::F32));
    assert_eq!(low.up.weight.id, model.up.weight.id);
    let x = numbers([3, D], &device).cast(FloatDType::BF16);
    let grads = low.forward(x).sum().backward();
    assert!(low.up.weight.val().grad(&grads).is_some());
    assert!(model.up.weight.val().grad(&grads).is_none());
}
