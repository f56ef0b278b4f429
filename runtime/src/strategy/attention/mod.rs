//! Attention of which only queries, keys and values are kept.

mod apart;
mod autocast;
mod gradient;
mod node;
mod operand;
mod options;
mod weighing;

pub use autocast::{autocast_attention, autocast_attention_with};
pub(crate) use node::{Core, on_autodiff};
pub use options::RecomputeAttention;
pub(crate) use weighing::{Scale, Softmax, Weighing};

use super::casting::{Autocast, in_precision};
use super::off::strategies_are_off;
use crate::nn::MhaInput;
use apart::{Apart, check, device};
use burn::nn::attention::{MhaOutput, MultiHeadAttention};
use burn::tensor::FloatDType;

/// burn's [`MultiHeadAttention`] without its largest tensors: it keeps the projected queries, keys and values, and
/// computes scores, softmax, dropout and weighted sum again in the backward pass.
///
/// burn's keeps three tensors of queries × keys for each head (the scores less their maximum, their exponentials
/// and the weights), and with dropout a fourth: at a sequence of 1024 and a width of 64 a head, each is 16 times
/// what the head's queries are.
///
/// * Output: burn's, to the bit on a backend whose kernels give the same bits each time. With dropout it is
///   one more sample of the same distribution: the mask is that of a [`Dropout`](crate::nn::Dropout), computed again
///   instead of kept.
/// * Gradients: exact to rounding, in closed form. With scores S, probabilities P = softmax(S), weights W (P after
///   dropout) and O = W V:
///
///   ```text
///   dV = Wᵀ dO        dW = dO Vᵀ
///   G  = W ∘ dW       dS = G - P ∘ rowsum(G)
///   dQ = scale dS K   dK = scale dSᵀ Q
///   ```
///
///   The second line is the Jacobian of a softmax, ∂Pⱼ/∂Sᵢ = Pⱼ (δᵢⱼ - Pᵢ), also of the quiet one
///   (`FlashAttention`, Dao et al. 2022, appendix B).
/// * The projections are the module's own layers and stay as they are: adapted (`LoRA`), frozen or quantised ones
///   work. What they keep, burn keeps.
/// * `weights` of the output is there with its gradient, at the price of one more such backward pass if it has one; if
///   you drop it, nothing of its size is kept.
/// * Memory: queries, keys, values, and the masks as they are given. At width 256 with 4 heads, a layer keeps 5.0 MiB
///   instead of 11.0 (batch 8, sequence 128), or 5.5 instead of 29.5 (batch 2, sequence 512). While its backward pass
///   runs there are two tensors of queries × keys for each head, with dropout three.
/// * Time: the product of queries and keys and the softmax once more, but fewer steps than burn's backward pass has. On
///   two cores with Flex, the step of such a layer takes 0.9 to 1.0 of plain burn's (1.3 in a
///   [`checkpoint`](crate::checkpoint())).
///
/// If nothing is on a device with autodiff, or [without strategies](crate::without_strategies), it is burn's own
/// forward pass.
///
/// ```
/// use burn::nn::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
/// use burn::tensor::{Device, Tensor};
/// use remat::nn::MhaInput;
///
/// let device = Device::flex().autodiff();
/// let attention: MultiHeadAttention = MultiHeadAttentionConfig::new(8, 2).init(&device);
/// let x = Tensor::<3>::ones([2, 4, 8], &device); // [batch, length, d_model]
///
/// let output = remat::recompute_attention(&attention, MhaInput::self_attn(x));
/// assert_eq!(output.context.dims(), [2, 4, 8]);
/// assert_eq!(output.weights.dims(), [2, 2, 4, 4]); // [batch, heads, queries, keys]
/// let grads = output.context.sum().backward();
/// assert!(attention.query.weight.val().grad(&grads).is_some());
/// ```
///
/// # Panics
///
/// If the shapes are not those that burn asks for, or remat was built without the feature of the tensors' backend.
#[must_use]
pub fn recompute_attention(attention: &MultiHeadAttention, input: MhaInput) -> MhaOutput {
    recompute_attention_with(RecomputeAttention::new(), attention, input)
}

/// [`recompute_attention`] with a name for messages.
///
/// ```
/// use burn::nn::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
/// use burn::tensor::{Device, Tensor};
/// use remat::{RecomputeAttention, nn::MhaInput};
///
/// let device = Device::flex().autodiff();
/// let attention: MultiHeadAttention = MultiHeadAttentionConfig::new(8, 2).init(&device);
/// let (x, memory) = (Tensor::ones([2, 4, 8], &device), Tensor::ones([2, 6, 8], &device));
///
/// let options = RecomputeAttention::named("Decoder.cross");
/// let input = MhaInput::new(x, memory.clone(), memory);
/// let output = remat::recompute_attention_with(options, &attention, input);
/// assert_eq!(output.weights.dims(), [2, 2, 4, 6]);
/// ```
///
/// # Panics
///
/// As [`recompute_attention`].
#[must_use]
pub fn recompute_attention_with(
    options: RecomputeAttention,
    attention: &MultiHeadAttention,
    input: MhaInput,
) -> MhaOutput {
    let label = options.0.label::<MultiHeadAttention>();
    check(label, &input, attention.d_model);
    let casting = options.0.casting();
    let casting = casting.map(Autocast::with_precise_softmax);
    if strategies_are_off() || (casting.is_none() && device(attention, &input).is_none()) {
        return attention.forward(input.into());
    }
    let apart = Apart {
        compression: options.0.compression(),
        computes_in: casting.map(|_| FloatDType::F32),
        keeps_weights: false,
    };
    in_precision(casting, attention, input, |attention, input| {
        apart.forward(attention, input)
    })
}
