//! Layers that a value which was not computed may pass.

use burn::nn::Dropout;

/// A layer whose gradient does not need the value of its input: what comes out of a
/// [`tail`](crate::tail()) may go through it.
///
/// burn's `Dropout` multiplies by a mask, which is all that its gradient needs (and the same numbers
/// are drawn, whatever the input is).
///
/// ```
/// use burn::nn::Dropout;
///
/// /// Dropout, when there is any.
/// struct MaybeDropout(Option<Dropout>);
///
/// impl remat::IgnoresValue for MaybeDropout {}
/// ```
#[diagnostic::on_unimplemented(
    message = "the output of a tail goes through `{Self}`, whose gradient may need its value",
    label = "needs the value of its input",
    note = "remove `#[remat(tail)]` from the layer in front of it, or implement `remat::IgnoresValue` if its \
            gradient does not depend on what goes in"
)]
pub trait IgnoresValue {}

impl IgnoresValue for Dropout {}

/// The layer itself: what generated code writes around a layer behind a tail, so that the compiler
/// checks that it [`IgnoresValue`].
///
/// ```
/// use burn::nn::DropoutConfig;
/// use burn::tensor::{Device, Tensor};
///
/// let dropout = DropoutConfig::new(0.1).init();
/// let x = Tensor::<1>::ones([4], &Device::flex());
/// assert_eq!(remat::ignores_value(&dropout).forward(x).dims(), [4]);
/// ```
#[must_use]
pub fn ignores_value<L: IgnoresValue + ?Sized>(layer: &L) -> &L {
    layer
}
