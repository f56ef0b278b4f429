//! `#[autocast(bf16)]`: the layer computes in another precision.

use super::Layer;
use super::casting::Autocast;
use crate::amp::Precision;
use crate::tree::TensorTree;

/// Runs `forward` in a precision: float inputs and the module's parameters are cast for the call, and float outputs come
/// back as the caller has its inputs. `#[autocast(bf16)]` on a field writes this call for you.
///
/// For products, convolutions and attention, which are faster in 16 bits and keep half of the memory there, in a model
/// whose parameters stay in f32.
///
/// * The module is not changed: its parameters are the f32 masters. Their gradients arrive in f32, and each parameter is
///   cast once a call, also if it is used several times inside. A [`CastScope`](crate::amp::CastScope) casts it once for
///   several calls.
/// * Memory: what the layer keeps, it keeps in the precision. Of the cast parameters nothing is kept, but where burn
///   reshapes them (below): they are cast again in the backward pass. Nor is anything kept of a cast input that is computed again itself
///   ([`recompute`](crate::recompute())), or is a leaf.
/// * Outputs are in the dtype of the float inputs (without any, in that of the parameters): sums with them never mix
///   dtypes. [`Autocast::output`] says otherwise.
/// * Integers, bools and quantised parameters stay as they are. Running statistics are neither cast nor written.
/// * It is how the layer computes, in training and in inference; [`without_strategies`](crate::without_strategies) turns
///   it off.
/// * In a [`checkpoint`](crate::checkpoint()), the second run is in the same precision.
/// * f32 is a precision like the others: in a stream of bf16, an island.
///
/// ```
/// use burn::nn::LinearConfig;
/// use burn::tensor::{DType, Device, Tensor};
/// use remat::amp::Precision;
///
/// let device = Device::flex().autodiff();
/// let linear = LinearConfig::new(4, 8).init(&device);
/// let x = Tensor::<2>::ones([2, 4], &device);
///
/// let y = remat::autocast(Precision::BF16, &linear, (x,), |linear, (x,)| linear.forward(x));
/// assert_eq!(y.dtype(), DType::F32);
/// let gradient = linear.weight.val().grad(&y.sum().backward()).unwrap();
/// assert_eq!(gradient.dtype(), DType::F32);
/// ```
///
/// # What to know
///
/// * For an input `[.., rows, width]` of three or more dimensions, burn's `Linear` reshapes its weight and keeps that in the
///   precision until the backward pass, if `rows` is a multiple of 32, if there is one batch, or if the output is
///   nearer to a square without the batches as rows. Otherwise, or with burn's own checkpointing on the device
///   (`.gradient_checkpointing()`), nothing is kept of it. `x.reshape([rows, width])` in front of it and back behind it avoids
///   that in any case; `autocast_attention` does so.
/// * A frozen parameter that is cast is kept in the precision as well, for the gradient of the input. Cast such
///   parameters once, with [`Precision::cast`].
/// * Outside of annotated layers, nothing is cast: sums and products of two dtypes are an error of burn's on Flex and with
///   its fusion, in release as well, and wrong numbers on a GPU without. They can only come from [`Autocast::output`] and
///   from casts by hand; [`assert_one_dtype`](crate::amp::assert_one_dtype) checks them on any backend.
/// * On a processor without products in 16 bits, burn's Flex computes them in f32 on copies: less memory, but no less
///   time.
///
/// # Panics
///
/// * If a normalisation's parameters would be cast to 16 bits, or running statistics to anything: annotate the fields of
///   the struct that contains the layer instead.
/// * For one of burn's losses in 16 bits.
/// * If the float inputs have several dtypes, and the options do not say which one the outputs have.
/// * If the device does not compute in the precision.
pub fn autocast<M, I, O>(precision: Precision, module: &M, inputs: I, forward: fn(&M, I) -> O) -> O
where
    M: Layer,
    I: TensorTree,
    O: TensorTree,
{
    autocast_with(Autocast::new(precision), module, inputs, forward)
}

/// [`autocast`] with a name for messages and other options.
///
/// ```
/// use burn::nn::LayerNormConfig;
/// use burn::tensor::{DType, Device, Tensor};
/// use remat::{Autocast, amp::Precision};
///
/// let device = Device::flex().autodiff();
/// let norm = LayerNormConfig::new(4).init(&device);
/// let x = Tensor::<2>::ones([2, 4], (&device, DType::BF16));
///
/// const NORM: Autocast = Autocast::new(Precision::F32).named("Block.norm");
/// let y = remat::autocast_with(NORM, &norm, (x,), |norm, (x,)| norm.forward(x));
/// assert_eq!(y.dtype(), DType::BF16);
/// ```
///
/// # Panics
///
/// As [`autocast`].
pub fn autocast_with<M, I, O>(
    options: Autocast,
    module: &M,
    inputs: I,
    forward: fn(&M, I) -> O,
) -> O
where
    M: Layer,
    I: TensorTree,
    O: TensorTree,
{
    options.around(module, inputs, forward)
}
