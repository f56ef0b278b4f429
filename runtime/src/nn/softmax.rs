//! Softmax as layers, which can be in place.

use crate::strategy::inplace::{InplaceActivation, Overwritten};
use burn::module::Module;
use burn::tensor::{Tensor, activation};

/// `exp(x) / sum(exp(x))` along a dimension: burn's [`softmax`](activation::softmax) as a layer.
///
/// In place ([`inplace`](crate::inplace()), `#[inplace]`) it keeps its output only, where burn keeps two more tensors of
/// that size, and its gradient is `y · (g − sum(g · y))`: exact, but rounded otherwise than burn's.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::nn::Softmax;
///
/// let device = Device::flex().autodiff();
/// let scores = Tensor::<2>::zeros([1, 4], &device).require_grad();
/// let weights = remat::inplace(&Softmax::new(-1), scores * 2.0);
/// assert_eq!(weights.into_data().to_vec::<f32>().unwrap(), [0.25; 4]);
/// ```
#[derive(Module, Debug)]
pub struct Softmax {
    /// The dimension; a negative one counts from the end.
    #[module(skip)]
    pub dim: isize,
}

/// `x − log(sum(exp(x)))` along a dimension: burn's [`log_softmax`](activation::log_softmax) as a layer.
///
/// In place ([`inplace`](crate::inplace()), `#[inplace]`) it keeps its output only, where burn keeps one more tensor of
/// that size, and its gradient is `g − exp(y) · sum(g)`: exact, but rounded otherwise than burn's.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::nn::LogSoftmax;
///
/// let device = Device::flex().autodiff();
/// let scores = Tensor::<2>::zeros([1, 2], &device).require_grad();
/// let y = remat::inplace(&LogSoftmax::new(1), scores * 2.0);
/// assert_eq!(y.into_data().to_vec::<f32>().unwrap(), [-std::f32::consts::LN_2; 2]);
/// ```
#[derive(Module, Debug)]
pub struct LogSoftmax {
    /// The dimension; a negative one counts from the end.
    #[module(skip)]
    pub dim: isize,
}

impl Softmax {
    /// Along this dimension.
    ///
    /// ```
    /// let _rows = remat::nn::Softmax::new(-1);
    /// ```
    #[must_use]
    pub fn new(dim: isize) -> Self {
        Self { dim }
    }

    /// Tensors of any shape.
    ///
    /// # Panics
    ///
    /// If the tensor has no such dimension.
    #[must_use]
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        activation::softmax(x, self.dim)
    }
}

impl LogSoftmax {
    /// Along this dimension.
    ///
    /// ```
    /// let _rows = remat::nn::LogSoftmax::new(-1);
    /// ```
    #[must_use]
    pub fn new(dim: isize) -> Self {
        Self { dim }
    }

    /// Tensors of any shape.
    ///
    /// # Panics
    ///
    /// If the tensor has no such dimension.
    #[must_use]
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        activation::log_softmax(x, self.dim)
    }
}

/// `x − max(x)`, in the buffer of `x`.
fn shifted<const D: usize>(x: Tensor<D>, dim: isize) -> Tensor<D> {
    let max = x.clone().max_dim(dim);
    x - max
}

// The operations are those that burn's functions are made of on a device with autodiff: elsewhere a backend may have one
// kernel for all, which rounds otherwise.

impl InplaceActivation for Softmax {
    const KEEPS_OUTPUT: bool = true;

    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        let dim = self.dim;
        let exp = shifted(x, dim).exp();
        let sum = exp.clone().sum_dim(dim);
        Overwritten::keeping_output(exp / sum, move |y, gradient| {
            let product = gradient * y.clone();
            let sum = product.clone().sum_dim(dim);
            product - y * sum
        })
    }
}

impl InplaceActivation for LogSoftmax {
    const KEEPS_OUTPUT: bool = true;

    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        let dim = self.dim;
        let shifted = shifted(x, dim);
        let log_sum = shifted.clone().exp().sum_dim(dim).log();
        Overwritten::keeping_output(shifted - log_sum, move |y, gradient| {
            let sum = gradient.clone().sum_dim(dim);
            gradient - y.exp() * sum
        })
    }
}
