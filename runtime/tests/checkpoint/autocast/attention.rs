//! Attention with products in 16 bits and the softmax in f32.

use super::{assert_all_f32, cast_by_hand};
use crate::support::{assert_all_same, assert_same, device, error, loss, numbers, run};
use burn::nn::attention::{MhaOutput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::tensor::activation::softmax;
use burn::tensor::{Bool, DType, FloatDType, Tensor};
use remat::amp::Precision;
use remat::nn::MhaInput;
use remat::{
    Autocast, Quantize, RecomputeAttention, autocast_attention, checkpoint,
    recompute_attention_with, without_strategies,
};

const D: usize = 16;
const HEADS: usize = 2;

/// In plain burn: casts where they belong.
fn by_hand(attention: &MultiHeadAttention, x: Tensor<3>, mask: Tensor<4, Bool>) -> Tensor<3> {
    let low = cast_by_hand(attention, FloatDType::BF16);
    let [batch, length, width] = x.dims();
    let x = x.cast(FloatDType::BF16);
    let heads = |y: Tensor<3>| {
        y.reshape([batch, length, HEADS, width / HEADS])
            .swap_dims(1, 2)
    };
    let [q, k, v] =
        [&low.query, &low.key, &low.value].map(|linear| heads(linear.forward(x.clone())));
    let scores = q.matmul(k.transpose()).cast(FloatDType::F32);
    let scores = scores.div_scalar(((width / HEADS) as f32).sqrt());
    let weights = softmax(scores.mask_fill(mask, attention.min_float), 3);
    let context = weights.cast(FloatDType::BF16).matmul(v);
    let context = context.swap_dims(1, 2).reshape([batch, length, width]);
    low.output.forward(context).cast(FloatDType::F32)
}

fn leaf(shape: [usize; 3]) -> Tensor<3> {
    numbers(shape, &device()).require_grad()
}

fn attention() -> MultiHeadAttention {
    MultiHeadAttentionConfig::new(D, HEADS)
        .with_dropout(0.0)
        .init(&device())
}

fn input(x: Tensor<3>, mask: &Tensor<3, Bool>) -> MhaInput {
    MhaInput::self_attn(x).mask_attn(mask.clone())
}

fn recomputed(attention: &MultiHeadAttention, input: MhaInput) -> MhaOutput {
    let options = RecomputeAttention::new().autocast(Autocast::new(Precision::BF16));
    recompute_attention_with(options, attention, input)
}

fn kept(attention: &MultiHeadAttention, input: MhaInput) -> MhaOutput {
    autocast_attention(Precision::BF16, attention, input)
}

/// Outputs to the bit; gradients to the rounding of the products, since that of the softmax is in closed form.
#[test]
fn as_cast_by_hand() {
    let attention = attention();
    let x = leaf([3, 6, D]);
    let mask = Tensor::<3, Bool>::tril_mask([1, 6, 6], 0, &device());
    let wide = mask.clone().reshape([1, 1, 6, 6]);
    let (expected, plain) = run(&attention, |a| {
        loss(by_hand(a, x.clone() * 1.0, wide.clone()))
    });
    for layer in [kept, recomputed] {
        let (value, grads) = run(&attention, |a| {
            loss(layer(a, input(x.clone() * 1.0, &mask)).context)
        });
        assert_same(&value, &expected);
        assert_all_f32(&grads);
        let error = error(&grads, &plain);
        assert!(error < 0.01, "{error}");
    }
    let output = kept(&attention, input(x, &mask));
    assert_eq!(
        [output.weights.dtype(), output.context.dtype()],
        [DType::F32; 2]
    );
    let sums = output.weights.sum_dim(3).to_data();
    assert!(sums.iter::<f32>().all(|sum| (sum - 1.0).abs() < 0.01));
}

/// A softmax in 16 bits would be further away: in f32 it is as near to plain burn as the products are.
#[test]
fn the_softmax_is_in_f32() {
    let (attention, device) = (attention(), device());
    let x = numbers([3, 64, D], &device) * 4.0;
    let plain = attention.forward(MhaInput::self_attn(x.clone()).into());
    let far = |y: Tensor<4>| (y - plain.weights.clone()).abs().sum().into_scalar::<f32>();
    let island = far(kept(&attention, MhaInput::self_attn(x.clone())).weights);
    let low = cast_by_hand(&attention, FloatDType::BF16);
    let low = low.forward(MhaInput::self_attn(x.cast(FloatDType::BF16)).into());
    assert!(island < far(low.weights.cast(FloatDType::F32)));
}

/// Both have the gradient of the weights as well.
#[test]
fn gradients_of_the_weights() {
    let attention = attention();
    let x = leaf([3, 6, D]);
    let of = |layer: fn(&MultiHeadAttention, MhaInput) -> MhaOutput| {
        run(&attention, |a| {
            let output = layer(a, MhaInput::self_attn(x.clone() * 1.0));
            loss(output.context) + loss(output.weights)
        })
    };
    let ((value, grads), (again_value, again)) = (of(kept), of(recomputed));
    assert_same(&value, &again_value);
    let error = error(&grads, &again);
    assert!(error < 0.01, "{error}");
}

#[test]
fn inference_off_and_inside_a_checkpoint() {
    let (attention, device) = (attention(), device());
    let x = numbers([3, 6, D], &device);
    let value = |layer: fn(&MultiHeadAttention, MhaInput) -> MhaOutput, x: &Tensor<3>| {
        layer(&attention, MhaInput::self_attn(x.clone()))
            .context
            .to_data()
    };
    for layer in [kept, recomputed] {
        let trained = value(layer, &x);
        let plain = without_strategies(|| value(layer, &x));
        let burns = attention.forward(MhaInput::self_attn(x.clone()).into());
        assert_same(&plain, &burns.context.to_data());
        assert_ne!(trained, plain);
        let valid = burn::module::Module::valid(&attention);
        let valid = layer(&valid, MhaInput::self_attn(x.clone().without_autodiff()));
        assert_same(&valid.context.to_data(), &trained);
    }
    let (value, grads) = run(&attention, |a| {
        loss(kept(a, MhaInput::self_attn(x.clone())).context)
    });
    let (again_value, again) = run(&attention, |a| {
        loss(checkpoint(a, (x.clone(),), |a, (x,)| {
            kept(a, MhaInput::self_attn(x)).context
        }))
    });
    assert_same(&value, &again_value);
    assert_all_same(&grads, &again);
}

#[test]
fn compressed_as_well() {
    let attention = attention();
    let x = leaf([3, 32, D]);
    let plain = RecomputeAttention::new().autocast(Autocast::new(Precision::BF16));
    let of = |options: RecomputeAttention| {
        run(&attention, |a| {
            loss(recompute_attention_with(options, a, MhaInput::self_attn(x.clone() * 1.0)).context)
        })
    };
    let (value, grads) = of(plain.quantize(Quantize::bits(8).min_elements(0)));
    let (plain_value, plain) = of(plain);
    assert_same(&value, &plain_value);
    let error = error(&grads, &plain);
    assert!(0.0 < error && error < 0.02, "{error}");
}
