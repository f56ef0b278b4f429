//! Layers that a value which was not computed may pass.

use super::NotComputed;
use burn::nn::Dropout;
use burn::tensor::Tensor;

/// A layer whose gradient does not need the value of its input: what comes out of a
/// [`tail`](crate::tail()) may pass it.
///
/// burn's `Dropout` multiplies by a mask, which is all that its gradient needs (and the same numbers
/// are drawn, whatever the input is).
///
/// ```
/// use burn::tensor::Tensor;
///
/// /// Multiplies by a number.
/// struct Dropout(f32);
///
/// impl<const D: usize> remat::IgnoresValue<D> for Dropout {
///     fn forward(&self, x: Tensor<D>) -> Tensor<D> {
///         x * self.0
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "the output of a tail may not pass `{Self}`, whose gradient may need its value",
    label = "needs the value of its input",
    note = "remove `#[remat(tail)]`, or implement `remat::IgnoresValue` if the layer's gradient does not depend on \
            what goes in"
)]
pub trait IgnoresValue<const D: usize> {
    /// The layer's own `forward`.
    fn forward(&self, x: Tensor<D>) -> Tensor<D>;
}

impl<const D: usize> IgnoresValue<D> for Dropout {
    fn forward(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }
}

/// The output of a layer that [`IgnoresValue`]: computed if the input is.
///
/// ```
/// use burn::nn::{DropoutConfig, LinearConfig};
/// use burn::tensor::{Device, Tensor};
///
/// let device = Device::flex().autodiff();
/// let (linear, dropout) = (LinearConfig::new(4, 4).init(&device), DropoutConfig::new(0.1).init());
/// let x = Tensor::<2>::ones([2, 4], &device);
///
/// let y: Tensor<2> = remat::pass(&dropout, x.clone());
/// let z: remat::NotComputed<2> = remat::pass(&dropout, remat::tail(&linear, y));
/// assert_eq!(z.dims(), [2, 4]);
/// ```
pub fn pass<L, X: Passes<L>>(layer: &L, x: X) -> X {
    x.through(layer)
}

/// A tensor, computed or not, that passes a layer: for [`pass`] only.
#[doc(hidden)]
pub trait Passes<L> {
    /// What comes out of the layer.
    #[must_use]
    fn through(self, layer: &L) -> Self;
}

impl<const D: usize, L: IgnoresValue<D>> Passes<L> for Tensor<D> {
    fn through(self, layer: &L) -> Self {
        layer.forward(self)
    }
}

impl<const D: usize, L: IgnoresValue<D>> Passes<L> for NotComputed<D> {
    fn through(self, layer: &L) -> Self {
        Self(layer.forward(self.0))
    }
}
