//! Gradients that burn has kernels for, and `Tensor` no method.

use burn::backend::{Dispatch, ops::ActivationOps};
use burn::tensor::Tensor;

/// burn's own gradient of `relu`, from its output (burn gives it the input, which is as good).
pub(crate) fn relu_backward<const D: usize>(output: Tensor<D>, gradient: Tensor<D>) -> Tensor<D> {
    let (output, gradient) = (output.into_dispatch(), gradient.into_dispatch());
    Tensor::from_dispatch(Dispatch::relu_backward(output, gradient))
}

/// burn's own gradient of `sigmoid`, from its output.
pub(crate) fn sigmoid_backward<const D: usize>(
    output: Tensor<D>,
    gradient: Tensor<D>,
) -> Tensor<D> {
    let (output, gradient) = (output.into_dispatch(), gradient.into_dispatch());
    Tensor::from_dispatch(Dispatch::sigmoid_backward(output, gradient))
}
