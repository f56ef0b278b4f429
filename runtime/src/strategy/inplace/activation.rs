//! What can be in place.

use burn::tensor::Tensor;

/// A layer that can overwrite its input, since its gradient does not need it.
///
/// Implemented for the layers in the [table](mod@crate::inplace). Implement it for your own where the gradient follows from
/// the output, or from something smaller than the input:
///
/// ```
/// use burn::module::Module;
/// use burn::tensor::{Device, Tensor};
/// use remat::inplace::{InplaceActivation, Overwritten};
///
/// #[derive(Module, Debug)]
/// struct Exp;
///
/// impl InplaceActivation for Exp {
///     fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
///         x.exp()
///     }
///
///     fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
///         // burn writes into the buffer of a tensor that it is given and that nobody else holds.
///         Overwritten::keeping_output(x.exp(), |y, gradient| gradient * y)
///     }
/// }
///
/// let device = Device::flex().autodiff();
/// let x = Tensor::<1>::zeros([2], &device).require_grad();
/// let y = remat::inplace(&Exp, x.clone() * 3.0);
/// assert_eq!(x.grad(&y.sum().backward()).unwrap().to_data(), (x.inner() + 3.0).to_data());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a layer that can overwrite its input",
    label = "not a layer that can be in place",
    note = "write `#[recompute(cheap)]` instead of `#[inplace]`: it keeps the input, and not the output",
    note = "there is a `remat::nn::Dropout`, which can be in place; burn's `Dropout` keeps a mask",
    note = "for a layer of your own, implement `remat::inplace::InplaceActivation`: its documentation has an example",
    note = "the documentation of the module `remat::inplace` has a table of the layers that can be in place"
)]
pub trait InplaceActivation: Clone + Send + 'static {
    /// Whether the gradient, as computed in place, needs the layer's own output: another layer in place after it would have
    /// to copy that, so `#[inplace]` refuses it.
    ///
    /// A layer that keeps something else says `false`:
    ///
    /// ```
    /// use burn::tensor::Tensor;
    /// use remat::inplace::{InplaceActivation, Overwritten};
    ///
    /// #[derive(Clone)]
    /// struct Negate;
    ///
    /// impl InplaceActivation for Negate {
    ///     const KEEPS_OUTPUT: bool = false;
    ///
    ///     fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
    ///         x.neg()
    ///     }
    ///
    ///     fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
    ///         Overwritten::new(x.neg(), |gradient| gradient.neg())
    ///     }
    /// }
    /// ```
    const KEEPS_OUTPUT: bool = true;

    /// The layer as it is without remat: what runs [without strategies](crate::without_strategies), and where no gradient
    /// is needed.
    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D>;

    /// The same values, computed from `x` (without autodiff) in its own buffer where nobody else holds it, and a gradient
    /// that does not need `x`.
    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D>;
}

/// The output of a layer that has overwritten its input, and the way to its gradient.
pub struct Overwritten<const D: usize> {
    pub(super) output: Tensor<D>,
    pub(super) gradient: Gradient<D>,
}

/// From the gradient of the output to that of the input.
type Gradient<const D: usize> = Box<dyn FnOnce(Tensor<D>) -> Tensor<D> + Send>;

impl<const D: usize> Overwritten<D> {
    /// `gradient` takes the gradient of the output and gives that of the input, of the same shape and dtype. Tensors that
    /// it holds must be without autodiff.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::inplace::Overwritten;
    ///
    /// let x = Tensor::<1>::ones([2], &Device::flex());
    /// let _negated = Overwritten::new(x.neg(), |gradient| gradient.neg());
    /// ```
    #[must_use]
    pub fn new(
        output: Tensor<D>,
        gradient: impl FnOnce(Tensor<D>) -> Tensor<D> + Send + 'static,
    ) -> Self {
        Self {
            output,
            gradient: Box::new(gradient),
        }
    }

    /// As [`new`](Self::new), for a gradient that also needs the output, which comes first. Such a layer
    /// [keeps its output](InplaceActivation::KEEPS_OUTPUT).
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::inplace::Overwritten;
    ///
    /// let x = Tensor::<1>::ones([2], &Device::flex());
    /// let _exp = Overwritten::keeping_output(x.exp(), |y, gradient| gradient * y);
    /// ```
    #[must_use]
    pub fn keeping_output(
        output: Tensor<D>,
        gradient: impl FnOnce(Tensor<D>, Tensor<D>) -> Tensor<D> + Send + 'static,
    ) -> Self {
        let kept = output.clone();
        Self::new(output, move |cotangent| gradient(kept, cotangent))
    }
}
