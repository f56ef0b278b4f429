//! Attention of which only queries, keys and values are kept.

mod gradient;
mod node;
mod operand;
mod options;
mod weighing;

pub(crate) use node::{Core, on_autodiff};
pub use options::RecomputeAttention;
pub(crate) use weighing::{Scale, Softmax, Weighing};

use super::compression::Quantize;
use super::off::strategies_are_off;
use super::segment::Label;
use crate::nn::{Mask, MhaInput};
use burn::module::Module;
use burn::nn::Linear;
use burn::nn::attention::{MhaOutput, MultiHeadAttention};
use burn::tensor::{Device, Tensor};

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
    match device(attention, &input) {
        Some(device) if !strategies_are_off() => {
            recomputed(options.0.compression(), &device, attention, input)
        }
        _ => attention.forward(input.into()),
    }
}

/// Where autodiff is on for anything that comes together here, it is for what comes of it.
fn device(attention: &MultiHeadAttention, input: &MhaInput) -> Option<Device> {
    let inputs = [&input.query, &input.key, &input.value].map(Tensor::device);
    let of_input = inputs.into_iter().find(Device::is_autodiff);
    of_input.or_else(|| attention.devices().into_iter().find(Device::is_autodiff))
}

/// burn's forward pass with the core as a node.
fn recomputed(
    compression: Option<Quantize>,
    device: &Device,
    attention: &MultiHeadAttention,
    input: MhaInput,
) -> MhaOutput {
    let input = match compression {
        Some(compression) => compression.tree(&input),
        None => input,
    };
    let [batch, queries, d_model] = input.query.dims();
    let weighing = weighing(attention, &input);
    let q = projected(attention, &attention.query, input.query);
    let k = projected(attention, &attention.key, input.key);
    let v = projected(attention, &attention.value, input.value);
    let dropout = &attention.dropout;
    let drops = dropout.prob > 0.0 && dropout.training.is_enabled();
    let mask = drops.then(|| Mask::next(dropout.prob, device));

    let core = Core::new(weighing, q, k, v, mask).compressed(compression);
    let (weights, context) = core.forward_with_weights();
    let context = context.swap_dims(1, 2);
    let context = context.reshape([batch, queries, d_model]);
    let context = match compression {
        Some(compression) => compression.tensor(context),
        None => context,
    };
    MhaOutput {
        weights,
        context: attention.output.forward(context),
    }
}

fn projected(attention: &MultiHeadAttention, linear: &Linear, x: Tensor<3>) -> Tensor<4> {
    let [batch, length, _] = x.dims();
    linear
        .forward(x)
        .reshape([batch, length, attention.n_heads, attention.d_k])
        .swap_dims(1, 2)
}

fn weighing(attention: &MultiHeadAttention, input: &MhaInput) -> Weighing {
    let pad = input.mask_pad.clone().map(|mask| {
        let [batch, keys] = mask.dims();
        mask.reshape([batch, 1, 1, keys])
    });
    let attn = input.mask_attn.clone().map(|mask| {
        let [batch, queries, keys] = mask.dims();
        mask.reshape([batch, 1, queries, keys])
    });
    Weighing {
        scale: Scale::Over((attention.d_k as f32).sqrt()),
        softcap: None,
        masks: pad.into_iter().chain(attn).collect(),
        fill: attention.min_float,
        causal: false,
        bias: None,
        softmax: if attention.quiet_softmax {
            Softmax::Quiet
        } else {
            Softmax::Plain
        },
    }
}

/// What burn asserts, and what it would find out about the masks later.
fn check(label: Label, input: &MhaInput, d_model: usize) {
    let [batch, queries, _] = input.query.dims();
    let [_, keys, _] = input.key.dims();
    let expect = |what: &str, found: [usize; 3], expected: [usize; 3]| {
        if found != expected {
            label.fail(format_args!(
                "{what} has the shape {found:?}, where {expected:?} is expected ([batch, length, d_model])"
            ));
        }
    };
    expect("`query`", input.query.dims(), [batch, queries, d_model]);
    expect("`key`", input.key.dims(), [batch, keys, d_model]);
    expect("`value`", input.value.dims(), [batch, keys, d_model]);

    let fits = |found: &[usize], expected: &[usize]| {
        let mut pairs = found.iter().zip(expected);
        pairs.all(|(found, expected)| *found == 1 || found == expected)
    };
    if let Some(mask) = &input.mask_pad
        && !fits(&mask.dims(), &[batch, keys])
    {
        label.fail(format_args!(
            "`mask_pad` has the shape {:?}, where {:?} is expected ([batch, keys])",
            mask.dims(),
            [batch, keys],
        ));
    }
    if let Some(mask) = &input.mask_attn
        && !fits(&mask.dims(), &[batch, queries, keys])
    {
        label.fail(format_args!(
            "`mask_attn` has the shape {:?}, where {:?} is expected ([batch, queries, keys])",
            mask.dims(),
            [batch, queries, keys],
        ));
    }
}
