//! A matrix product without its value.

use crate::tape::{Parent, record};
use burn::tensor::Tensor;

/// The node that burn's `matmul` records, with the same gradients (burn-autodiff, `float_matmul`), but
/// with NaN for its value.
///
/// The gradient of a product needs the other operand, not the result. A value that is read by
/// mistake shows: NaN spreads.
pub(super) fn product_without_value<const D: usize>(
    left: &Tensor<D>,
    right: &Tensor<D>,
) -> Tensor<D> {
    let (of_left, of_right) = (Parent::of(left), Parent::of(right));
    // As in burn: each is only kept for the other's gradient.
    let kept_left = of_right.is_some().then(|| left.clone().inner());
    let kept_right = of_left.is_some().then(|| right.clone().inner());
    let (left_dims, right_dims) = (left.dims(), right.dims());

    let parents = [of_left, of_right].into_iter().flatten().collect();
    let mut node = record(parents, move |mut outputs, parents| {
        let Some(gradient) = outputs.take::<D>(0) else {
            return;
        };
        let of_left = kept_right.map(|right| {
            let product = gradient.clone().matmul(right.transpose());
            sum_to(product, left_dims)
        });
        let of_right = kept_left.map(|left| {
            let product = left.transpose().matmul(gradient);
            sum_to(product, right_dims)
        });
        let gradients = [of_left, of_right].into_iter().flatten();
        for (index, gradient) in gradients.enumerate() {
            parents.set(index, gradient);
        }
    });
    node.output(no_value(left, right))
}

/// Sums over the dimensions along which an operand was repeated.
fn sum_to<const D: usize>(gradient: Tensor<D>, dims: [usize; D]) -> Tensor<D> {
    let repeated = gradient.dims().into_iter().zip(dims).enumerate();
    let repeated = repeated.filter(|(_, (gradient, operand))| gradient != operand);
    let repeated: Vec<usize> = repeated.map(|(dim, _)| dim).collect();
    match repeated.as_slice() {
        [] => gradient,
        [dim] => gradient.sum_dim(*dim),
        dims => gradient.sum_dims(dims),
    }
}

/// NaN in the shape of the product: a single number, repeated.
fn no_value<const D: usize>(left: &Tensor<D>, right: &Tensor<D>) -> Tensor<D> {
    let (left_dims, right_dims) = (left.dims(), right.dims());
    let mut shape: [usize; D] = std::array::from_fn(|dim| left_dims[dim].max(right_dims[dim]));
    shape[D - 2] = left_dims[D - 2];
    shape[D - 1] = right_dims[D - 1];
    Tensor::<D>::full([1; D], f32::NAN, (&left.device(), left.dtype())).expand(shape)
}
