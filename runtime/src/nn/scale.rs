//! A product with a number as a layer.

use crate::strategy::inplace::{InplaceActivation, Overwritten};
use burn::module::Module;
use burn::tensor::Tensor;

/// `x · factor` as a layer.
///
/// burn's `x * factor` keeps nothing, and overwrites `x` if nobody else holds it: nor does the layer, and in place
/// ([`inplace`](crate::inplace()), `#[inplace]`) it saves nothing more. What is had is the proof, at compile time, that
/// nobody else does.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::nn::Scale;
///
/// let device = Device::flex().autodiff();
/// let x = Tensor::<1>::ones([2], &device).require_grad();
/// let y = remat::inplace(&Scale::new(0.5), x.clone() * 3.0);
/// assert_eq!(x.grad(&y.sum().backward()).unwrap().into_data().to_vec::<f32>().unwrap(), [1.5; 2]);
/// ```
#[derive(Module, Debug)]
pub struct Scale {
    /// What each element is multiplied by.
    #[module(skip)]
    pub factor: f64,
}

impl Scale {
    /// By this factor.
    ///
    /// ```
    /// let _half = remat::nn::Scale::new(0.5);
    /// ```
    #[must_use]
    pub fn new(factor: f64) -> Self {
        Self { factor }
    }

    /// Tensors of any shape.
    #[must_use]
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        x.mul_scalar(self.factor)
    }
}

impl InplaceActivation for Scale {
    const KEEPS_OUTPUT: bool = false;

    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        let factor = self.factor;
        Overwritten::new(self.forward(x), move |gradient| gradient.mul_scalar(factor))
    }
}
