//! What a method without its tail gives to its caller, who reads no values.

use super::NotComputed;
use burn::tensor::Tensor;
use burn::tensor::kind::Basic;

/// What a method without its tail may return: tensors, computed or not, alone, in tuples or in an
/// `Option`.
#[diagnostic::on_unimplemented(
    message = "a method without its tail cannot return `{Self}`",
    label = "remat does not know which tensors in here were computed",
    note = "return tensors, tuples or an `Option` of tensors, or remove `#[remat(tail)]`"
)]
pub trait Returned {
    /// The same with tensors in place of [`NotComputed`].
    type Output;

    /// See [`returned`].
    fn returned(self) -> Self::Output;
}

/// Makes tensors of what was [`NotComputed`], for the end of the second run of a segment: see
/// [`checkpoint_early_stop`](crate::checkpoint_early_stop). Their values, which nobody reads there, are
/// NaN.
///
/// ```
/// use burn::{nn::LinearConfig, tensor::{Device, Tensor}};
///
/// let device = Device::flex().autodiff();
/// let linear = LinearConfig::new(4, 4).init(&device);
/// let x = Tensor::<2>::ones([2, 4], &device);
///
/// let (y, x): (Tensor<2>, Tensor<2>) = remat::returned((remat::tail(&linear, x.clone()), x));
/// assert!(y.is_nan().all().into_scalar::<bool>());
/// assert!(!x.is_nan().any().into_scalar::<bool>());
/// ```
pub fn returned<R: Returned>(value: R) -> R::Output {
    value.returned()
}

impl<const D: usize> Returned for NotComputed<D> {
    type Output = Tensor<D>;

    fn returned(self) -> Tensor<D> {
        self.0
    }
}

impl<const D: usize, K: Basic> Returned for Tensor<D, K> {
    type Output = Self;

    fn returned(self) -> Self {
        self
    }
}

impl<R: Returned> Returned for Option<R> {
    type Output = Option<R::Output>;

    fn returned(self) -> Self::Output {
        self.map(R::returned)
    }
}

macro_rules! tuples {
    ($($($R:ident)+;)+) => {$(
        impl<$($R: Returned),+> Returned for ($($R,)+) {
            type Output = ($($R::Output,)+);

            #[allow(non_snake_case, reason = "each variable has the name of its type")]
            fn returned(self) -> Self::Output {
                let ($($R,)+) = self;
                ($($R.returned(),)+)
            }
        }
    )+};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
}
