//! burn's layers whose gradient is computed from the output, with the operations that burn itself uses for it.

use super::activation::{InplaceActivation, Overwritten};
use crate::tape::kernels;
use burn::nn::{Relu, Sigmoid, Tanh};
use burn::tensor::Tensor;

impl InplaceActivation for Relu {
    const KEEPS_OUTPUT: bool = true;

    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        // Above 0 is where the input was, and NaN where it was NaN.
        Overwritten::keeping_output(self.forward(x), kernels::relu_backward)
    }
}

impl InplaceActivation for Sigmoid {
    const KEEPS_OUTPUT: bool = true;

    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        // burn computes the output again for it.
        Overwritten::keeping_output(self.forward(x), kernels::sigmoid_backward)
    }
}

impl InplaceActivation for Tanh {
    const KEEPS_OUTPUT: bool = true;

    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        // burn computes the output again for it.
        Overwritten::keeping_output(self.forward(x), |y, gradient| {
            gradient * (y.powi_scalar(2).neg() + 1.0)
        })
    }
}
