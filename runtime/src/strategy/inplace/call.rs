//! `#[inplace]`: the output takes the place of the input.

use super::super::off::strategies_are_off;
use super::activation::{InplaceActivation, Overwritten};
use super::copies;
use super::options::Inplace;
use crate::tape::{Parent, is_shared, record};
use burn::tensor::Tensor;

/// Runs an activation in the buffer of its input: one buffer lives where burn's own activation needs two, since it keeps
/// its input for the gradient. `#[inplace]` on a field writes this call for you.
///
/// * The output is that of the plain layer, to the bit; so is the gradient, but for the layers that the
///   [table](mod@crate::inplace) says it of.
/// * Only a buffer that nobody else holds is overwritten: hand the tensor over, and do not keep a clone. A shared one is
///   copied, with the same result, and [counted](crate::inplace::copies).
/// * What keeps `x` for its own gradient also shares it: a layer that is given `x` before, and keeps its inputs, or
///   another layer in place that gave `x` and [keeps its output](InplaceActivation::KEEPS_OUTPUT).
/// * Time: that of the plain layer, without allocating (but for the bits of some layers, and for exponentials).
///
/// Where no gradient is needed, and [without strategies](crate::without_strategies), it is the plain call.
///
/// ```
/// use burn::nn::{LinearConfig, Relu};
/// use burn::tensor::{Device, Tensor};
///
/// let device = Device::flex().autodiff();
/// let (up, down) = (LinearConfig::new(4, 8).init(&device), LinearConfig::new(8, 4).init(&device));
/// let x = Tensor::<2>::ones([2, 4], &device);
///
/// let h = up.forward(x); // keeps `x`, but not what it gives
/// let h = remat::inplace(&Relu::new(), h);
/// let y = down.forward(h); // keeps the buffer that the activation keeps
/// assert!(up.weight.val().grad(&y.sum().backward()).is_some());
/// ```
///
/// # Panics
///
/// If remat was built without the feature of the tensor's backend.
#[must_use]
pub fn inplace<A: InplaceActivation, const D: usize>(activation: &A, x: Tensor<D>) -> Tensor<D> {
    inplace_with(Inplace::new(), activation, x)
}

/// [`inplace`] with a name for messages.
///
/// ```
/// use burn::{nn::Relu, tensor::{Device, Tensor}};
/// use remat::Inplace;
///
/// let device = Device::flex().autodiff();
/// let x = Tensor::<2>::ones([1, 4], &device);
/// let y = remat::inplace_with(Inplace::named("Block.relu"), &Relu::new(), x.clone());
/// assert_eq!(y.to_data(), x.to_data());
/// ```
///
/// # Panics
///
/// As [`inplace`].
#[must_use]
pub fn inplace_with<A: InplaceActivation, const D: usize>(
    options: Inplace,
    activation: &A,
    x: Tensor<D>,
) -> Tensor<D> {
    let parent = if strategies_are_off() {
        None
    } else {
        Parent::of(&x)
    };
    let Some(parent) = parent else {
        return activation.forward(x);
    };
    let value = x.inner();
    if is_shared(&value) {
        copies::count(options.label::<A>());
    }
    let Overwritten { output, gradient } = activation.overwrite(value);
    let mut node = record(vec![parent], move |mut outputs, parents| {
        if let Some(cotangent) = outputs.take(0) {
            parents.set(0, gradient(cotangent));
        }
    });
    node.output(output)
}
