//! `#[quantize(bits = 8)]`: what a layer keeps of its inputs is kept in few bits.

mod compare;
mod comparison;
mod gradients;

pub use compare::compare;
pub use comparison::{Comparison, FieldError, ParameterError};

use super::Layer;
use super::compression::Quantize;
use super::off::strategies_are_off;
use crate::tree::TensorTree;

/// Runs `forward`; what it keeps of its inputs for the backward pass is kept in few bits. `#[quantize(bits = 8)]` on a
/// field writes this call for you.
///
/// * The output is that of the plain call, to the bit: only gradients are computed from the compressed values. With
///   stochastic rounding, which is the default, the gradient of a layer's weights is right on average.
/// * A tensor that several annotated layers keep (one input of the projections to queries, keys and values) is compressed
///   once.
/// * Only the values of tracked inputs are compressed: no parameters, integers, bools, constants, leaves (whose
///   values somebody holds in any case), nor tensors of fewer than [`min_elements`](Quantize::min_elements). What a layer
///   keeps of its own intermediate results, it keeps as it is.
/// * What a layer without the annotation keeps of the same tensor, it keeps in full: annotate all of them.
/// * 1 bit is for [`Relu`](burn::nn::Relu): its gradient is exact.
/// * Time: compressing once, and decompressing for each layer that asks.
///
/// [`compare`](crate::quantize::compare()) says what it does to your gradients.
///
/// ```
/// use burn::nn::LinearConfig;
/// use burn::tensor::{Device, Distribution, Tensor};
/// use remat::Quantize;
///
/// let device = Device::flex().autodiff();
/// let (first, second) = (LinearConfig::new(64, 64).init(&device), LinearConfig::new(64, 64).init(&device));
/// let x = Tensor::<2>::random([32, 64], Distribution::Default, &device);
///
/// let h = first.forward(x);
/// let y = remat::quantize(Quantize::bits(8), &second, (h.clone(),), |second, (h,)| second.forward(h));
/// assert_eq!(y.to_data(), second.forward(h).to_data());
/// assert!(second.weight.val().grad(&y.sum().backward()).is_some());
/// ```
///
/// # Panics
///
/// If remat was built without the feature of the tensors' backend.
pub fn quantize<M, I, O>(options: Quantize, module: &M, inputs: I, forward: fn(&M, I) -> O) -> O
where
    M: Layer,
    I: TensorTree,
{
    if strategies_are_off() {
        return forward(module, inputs);
    }
    let kept = options.tree(&inputs);
    drop(inputs);
    forward(module, kept)
}
