//! A tensor of which nothing but the value is missing.

use burn::tensor::{
    DType, Device, ElementConversion, FloatDType, ReshapeArgs, Shape, SliceArg, Tensor,
};
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The output of a [`tail`](crate::tail()): a tensor with a shape and a place in the graph, but no value.
///
/// It has the operations whose gradients do not need values: it can be added to tensors, multiplied by
/// numbers, reshaped, sliced, and at last [`returned`](crate::returned()). Whatever would read a value
/// does not compile, which is the proof that leaving the value out changes no gradient.
///
/// ```
/// use burn::{nn::LinearConfig, tensor::{Device, Tensor}};
///
/// let device = Device::flex().autodiff();
/// let linear = LinearConfig::new(4, 6).init(&device);
/// let x = Tensor::<2>::ones([2, 4], &device);
///
/// let y = remat::tail(&linear, x.clone()) * 0.5;
/// assert_eq!(y.dims(), [2, 6]);
/// let y = y.reshape([2, 2, 3]).swap_dims(0, 1) + Tensor::<3>::ones([2, 2, 3], &device);
/// let y: Tensor<3> = remat::returned(y); // for the end of a segment that runs again
/// assert!(y.is_tracked());
/// ```
///
/// ```compile_fail
/// # use burn::{nn::LinearConfig, tensor::{Device, Tensor}};
/// # let device = Device::flex().autodiff();
/// # let linear = LinearConfig::new(4, 6).init(&device);
/// let y = remat::tail(&linear, Tensor::<2>::ones([2, 4], &device));
/// let z = y.tanh(); // its gradient needs the value
/// ```
#[derive(Clone)]
pub struct NotComputed<const D: usize>(pub(super) Tensor<D>);

impl<const D: usize> fmt::Debug for NotComputed<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NotComputed").field(&self.dims()).finish()
    }
}

/// As the methods of burn's [`Tensor`] with these names.
#[allow(missing_docs, reason = "they are burn's")]
impl<const D: usize> NotComputed<D> {
    #[must_use]
    pub fn dims(&self) -> [usize; D] {
        self.0.dims()
    }

    #[must_use]
    pub fn shape(&self) -> Shape {
        self.0.shape()
    }

    #[must_use]
    pub fn dtype(&self) -> DType {
        self.0.dtype()
    }

    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device()
    }

    #[must_use]
    pub fn reshape<const D2: usize, S: ReshapeArgs<D2>>(self, shape: S) -> NotComputed<D2> {
        NotComputed(self.0.reshape(shape))
    }

    #[must_use]
    pub fn flatten<const D2: usize>(self, start: usize, end: usize) -> NotComputed<D2> {
        NotComputed(self.0.flatten(start, end))
    }

    #[must_use]
    pub fn squeeze_dim<const D2: usize>(self, dim: usize) -> NotComputed<D2> {
        NotComputed(self.0.squeeze_dim(dim))
    }

    #[must_use]
    pub fn unsqueeze_dim<const D2: usize>(self, dim: usize) -> NotComputed<D2> {
        NotComputed(self.0.unsqueeze_dim(dim))
    }

    #[must_use]
    pub fn swap_dims(self, dim1: usize, dim2: usize) -> Self {
        Self(self.0.swap_dims(dim1, dim2))
    }

    #[must_use]
    pub fn transpose(self) -> Self {
        Self(self.0.transpose())
    }

    #[must_use]
    pub fn slice<S: SliceArg>(self, slices: S) -> Self {
        Self(self.0.slice(slices))
    }

    #[must_use]
    pub fn narrow(self, dim: usize, start: usize, length: usize) -> Self {
        Self(self.0.narrow(dim, start, length))
    }

    #[must_use]
    pub fn cast(self, dtype: FloatDType) -> Self {
        Self(self.0.cast(dtype))
    }

    #[must_use]
    pub fn mul_scalar<E: ElementConversion>(self, number: E) -> Self {
        Self(self.0.mul_scalar(number))
    }

    #[must_use]
    pub fn div_scalar<E: ElementConversion>(self, number: E) -> Self {
        Self(self.0.div_scalar(number))
    }
}

impl<const D: usize> Add for NotComputed<D> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl<const D: usize> Add<Tensor<D>> for NotComputed<D> {
    type Output = Self;

    fn add(self, other: Tensor<D>) -> Self {
        Self(self.0 + other)
    }
}

impl<const D: usize> Add<NotComputed<D>> for Tensor<D> {
    type Output = NotComputed<D>;

    fn add(self, other: NotComputed<D>) -> NotComputed<D> {
        NotComputed(self + other.0)
    }
}

impl<const D: usize> Sub for NotComputed<D> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl<const D: usize> Sub<Tensor<D>> for NotComputed<D> {
    type Output = Self;

    fn sub(self, other: Tensor<D>) -> Self {
        Self(self.0 - other)
    }
}

impl<const D: usize> Sub<NotComputed<D>> for Tensor<D> {
    type Output = NotComputed<D>;

    fn sub(self, other: NotComputed<D>) -> NotComputed<D> {
        NotComputed(self - other.0)
    }
}

impl<const D: usize, E: ElementConversion> Mul<E> for NotComputed<D> {
    type Output = Self;

    fn mul(self, number: E) -> Self {
        Self(self.0.mul_scalar(number))
    }
}

impl<const D: usize, E: ElementConversion> Div<E> for NotComputed<D> {
    type Output = Self;

    fn div(self, number: E) -> Self {
        Self(self.0.div_scalar(number))
    }
}

impl<const D: usize> Neg for NotComputed<D> {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}
