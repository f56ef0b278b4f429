//! Clipping gradients, in their own buffers.

use super::each::{Visit, each_gradient};
use crate::reads;
use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::{DType, FloatDType, Tensor};

/// Scales the gradients of a model so that their norm is at most `max_norm`, and returns the norm that they had: the
/// square root of the sum of the squares of all elements of all gradients.
///
/// burn's own [`GradientClipping`](burn::grad_clipping::GradientClipping) clips each parameter by itself, which changes the
/// direction of the step; this does not.
///
/// * The norm is computed in f32, whatever the gradients are. A parameter that the model has in two places counts once,
///   one without a gradient not at all.
/// * If the norm is not finite, the gradients stay as they are: look at what is returned, and skip the step. (`PyTorch`
///   makes all of them NaN.)
/// * Memory: the squares take one temporary of the size of one parameter, in f32; of f16 and bf16 two, since burn does not
///   square in place. Gradients are scaled in their own buffers; those of f16 and bf16 by way of an f32 copy of one
///   parameter, since the factor has no place in their few bits.
/// * Time: on a GPU, it waits once, for the norm.
///
/// ```
/// use burn::nn::LinearConfig;
/// use burn::optim::GradientsParams;
/// use burn::tensor::{Device, Tensor};
/// use remat::train::clip_grad_norm;
///
/// let device = Device::flex().autodiff();
/// let linear = LinearConfig::new(2, 1).with_bias(false).init(&device);
/// let loss = linear.forward(Tensor::<2>::from_floats([[3.0, 4.0]], &device)).sum();
///
/// let mut grads = GradientsParams::from_grads(loss.backward(), &linear); // 3 and 4
/// assert_eq!(clip_grad_norm(&mut grads, &linear, 2.5), 5.0);
/// let clipped = grads.get::<2>(linear.weight.id).unwrap();
/// assert_eq!(clipped.into_data().to_vec::<f32>().unwrap(), [1.5, 2.0]);
/// ```
///
/// # Panics
///
/// If `max_norm` is not above 0, or the device fails.
pub fn clip_grad_norm<M: Module>(grads: &mut GradientsParams, model: &M, max_norm: f32) -> f32 {
    assert_limit("the norm", max_norm);
    let norm = norm(grads, model).and_then(|norm| reads::one(norm).iter().next());
    let norm = norm.unwrap_or(0.0);
    clip_to_norm(grads, model, norm, max_norm);
    norm
}

/// Clips gradients whose norm is known.
pub(super) fn clip_to_norm<M: Module>(
    grads: &mut GradientsParams,
    model: &M,
    norm: f32,
    max_norm: f32,
) {
    if norm.is_finite() && norm > max_norm {
        each_gradient(grads, model, &mut Scale(max_norm / norm));
    }
}

/// Limits every element of the gradients of a model to `-limit..=limit`, in their own buffers. NaN stays NaN.
///
/// ```
/// use burn::nn::LinearConfig;
/// use burn::optim::GradientsParams;
/// use burn::tensor::{Device, Tensor};
/// use remat::train::clip_grad_value;
///
/// let device = Device::flex().autodiff();
/// let linear = LinearConfig::new(2, 1).with_bias(false).init(&device);
/// let loss = linear.forward(Tensor::<2>::from_floats([[3.0, -4.0]], &device)).sum();
///
/// let mut grads = GradientsParams::from_grads(loss.backward(), &linear);
/// clip_grad_value(&mut grads, &linear, 3.5);
/// let clipped = grads.get::<2>(linear.weight.id).unwrap();
/// assert_eq!(clipped.into_data().to_vec::<f32>().unwrap(), [3.0, -3.5]);
/// ```
///
/// # Panics
///
/// If `limit` is not above 0.
pub fn clip_grad_value<M: Module>(grads: &mut GradientsParams, model: &M, limit: f32) {
    assert_limit("an element", limit);
    each_gradient(grads, model, &mut Clamp(limit));
}

/// Infinity is a limit too: the norm is wanted, but not clipping.
fn assert_limit(what: &str, limit: f32) {
    assert!(
        limit > 0.0,
        "remat: the limit of {what} of a gradient must be above 0, but it is {limit}"
    );
}

/// Of all gradients together, on the device of the first, if there is any.
pub(super) fn norm<M: Module>(grads: &mut GradientsParams, model: &M) -> Option<Tensor<1>> {
    let mut squares = Squares::default();
    each_gradient(grads, model, &mut squares);
    let sums = squares.sums;
    (!sums.is_empty()).then(|| Tensor::cat(sums, 0).sum().sqrt())
}

/// The sums of the squares, one a gradient, left on the device of the first.
#[derive(Default)]
struct Squares {
    sums: Vec<Tensor<1>>,
}

impl Visit for Squares {
    fn gradient<const D: usize>(&mut self, gradient: Tensor<D>) -> Tensor<D> {
        let sum = gradient.clone().cast(FloatDType::F32).square().sum();
        let sum = match self.sums.first() {
            Some(first) => sum.to_device(&first.device()),
            None => sum,
        };
        self.sums.push(sum);
        gradient
    }
}

struct Scale(f32);

impl Visit for Scale {
    fn gradient<const D: usize>(&mut self, gradient: Tensor<D>) -> Tensor<D> {
        let dtype = gradient.dtype();
        match dtype {
            DType::F16 | DType::BF16 => {
                let scaled = gradient.cast(FloatDType::F32).mul_scalar(self.0);
                scaled.cast(dtype)
            }
            _ => gradient.mul_scalar(self.0),
        }
    }
}

struct Clamp(f32);

impl Visit for Clamp {
    fn gradient<const D: usize>(&mut self, gradient: Tensor<D>) -> Tensor<D> {
        gradient.clamp(-self.0, self.0)
    }
}
