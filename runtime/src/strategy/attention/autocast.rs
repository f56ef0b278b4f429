//! `#[autocast(bf16)]` on an attention: products in another precision, the softmax in f32.

use super::super::casting::Autocast;
use super::super::off::strategies_are_off;
use super::super::segment::Options;
use super::apart::{Apart, check};
use crate::amp::Precision;
use crate::nn::MhaInput;
use burn::nn::attention::{MhaOutput, MultiHeadAttention};
use burn::tensor::FloatDType;

/// burn's [`MultiHeadAttention`] with its products in another precision, and scores and softmax in f32: in an
/// [`autocast`](crate::autocast()) as it is, burn's would take the softmax in 16 bits as well. `#[autocast(bf16)]` on a
/// field of that type writes this call for you.
///
/// * Inputs, parameters and outputs are cast as by [`autocast`](crate::autocast()).
/// * Memory: the input, queries, keys, values, the weights and the weighted sum in the precision. burn's own keeps three
///   tensors as large as the weights, in f32.
/// * Gradients: that of the softmax is computed in f32, from the weights as they are kept. The masks of dropout are those
///   of a [`Dropout`](crate::nn::Dropout), which are not kept.
/// * [`RecomputeAttention::autocast`](crate::RecomputeAttention::autocast) does not keep the weights either.
///
/// ```
/// use burn::nn::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
/// use burn::tensor::{DType, Device, Tensor};
/// use remat::{amp::Precision, nn::MhaInput};
///
/// let device = Device::flex().autodiff();
/// let attention: MultiHeadAttention = MultiHeadAttentionConfig::new(8, 2).init(&device);
/// let x = Tensor::<3>::ones([2, 4, 8], &device); // [batch, length, d_model]
///
/// let output = remat::autocast_attention(Precision::BF16, &attention, MhaInput::self_attn(x));
/// assert_eq!(output.context.dtype(), DType::F32);
/// let grads = output.context.sum().backward();
/// assert!(attention.query.weight.val().grad(&grads).is_some());
/// ```
///
/// # Panics
///
/// As [`autocast`](crate::autocast()) and [`recompute_attention`](crate::recompute_attention).
#[must_use]
pub fn autocast_attention(
    precision: Precision,
    attention: &MultiHeadAttention,
    input: MhaInput,
) -> MhaOutput {
    autocast_attention_with(Autocast::new(precision), attention, input)
}

/// [`autocast_attention`] with a name for messages and other options.
///
/// ```
/// use burn::nn::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
/// use burn::tensor::{DType, Device, Tensor};
/// use remat::{Autocast, amp::Precision, nn::MhaInput};
///
/// let device = Device::flex().autodiff();
/// let attention: MultiHeadAttention = MultiHeadAttentionConfig::new(8, 2).init(&device);
/// let x = Tensor::<3>::ones([2, 4, 8], &device);
///
/// let options = Autocast::new(Precision::BF16).named("Block.attention").output(Precision::BF16);
/// let output = remat::autocast_attention_with(options, &attention, MhaInput::self_attn(x));
/// assert_eq!(output.context.dtype(), DType::BF16);
/// ```
///
/// # Panics
///
/// As [`autocast_attention`].
#[must_use]
pub fn autocast_attention_with(
    options: Autocast,
    attention: &MultiHeadAttention,
    input: MhaInput,
) -> MhaOutput {
    let label = Options::new("autocast", options.name()).label::<MultiHeadAttention>();
    check(label, &input, attention.d_model);
    if strategies_are_off() {
        return attention.forward(input.into());
    }
    let apart = Apart {
        compression: None,
        computes_in: Some(FloatDType::F32),
        keeps_weights: true,
    };
    let options = options.with_precise_softmax();
    options.around(attention, input, |attention, input| {
        apart.forward(attention, input)
    })
}
