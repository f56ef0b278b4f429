//! Results of cheap operations that are done again in the backward pass.

use super::super::compression::{approximating, are_approximate};
use super::super::off::strategies_are_off;
use crate::tape::{SavedAs, Values, gives_value_again, save_as};
use burn::tensor::{DType, FloatDType, Tensor};

/// `result`, of which consumers keep nothing: they compute it again from `of`, which it has come from.
pub(super) fn computed_again<const D: usize, const R: usize>(
    result: Tensor<R>,
    of: &Tensor<D>,
    compute: impl FnOnce(Tensor<D>) -> Tensor<R> + Send + 'static,
) -> Tensor<R> {
    let again = move |mut values: Values| {
        let value = values.take(0);
        compute(value.expect("the value of the tensor that is named below"))
    };
    if are_approximate(of) {
        let (again, marker) = approximating(again);
        return marker.mark(save_as(result, SavedAs::new(again).with_value_of(of)));
    }
    save_as(result, SavedAs::new(again).with_value_of(of))
}

/// The tensor in f32; operations that consume it, and would keep that, keep its 16 bits instead. One in f64 stays
/// as it is.
///
/// For the end of a stream of 16 bits, where a loss is computed in f32 from its input. If nothing keeps that input,
/// a plain cast is better: with this, its 16 bits stay in any case.
///
/// ```
/// use burn::tensor::{DType, Device, FloatDType, Tensor};
///
/// let device = Device::flex().autodiff();
/// let x = Tensor::<1>::from_floats([1.0, 2.0], &device).require_grad();
/// let stream = x.clone().cast(FloatDType::BF16) * 2.0;
/// let y = remat::amp::widened(stream);
/// assert_eq!(y.dtype(), DType::F32);
/// let gradient = x.grad(&y.square().sum().backward()).unwrap(); // 2 · 2 · 2x
/// assert_eq!(gradient.to_data().try_to_vec::<f32>().unwrap(), [8.0, 16.0]);
/// ```
#[must_use]
#[allow(
    clippy::needless_pass_by_value,
    reason = "as burn's operations take tensors"
)]
pub fn widened<const D: usize>(stream: Tensor<D>) -> Tensor<D> {
    if stream.dtype() == DType::F64 {
        return stream;
    }
    let widen = |x: Tensor<D>| x.cast(FloatDType::F32);
    let wide = widen(stream.clone());
    if strategies_are_off() || !stream.is_tracked() || stream.dtype() == wide.dtype() {
        return wide;
    }
    computed_again(wide, &stream, widen)
}

/// The rows of all batches `[batch * length, width]`.
///
/// burn reshapes the weight of a product instead, and keeps that; of a matrix that is computed again it keeps nothing.
pub(in super::super) fn rows(x: &Tensor<3>) -> Tensor<2> {
    let [batch, length, width] = x.dims();
    let flat = move |x: Tensor<3>| x.reshape([batch * length, width]);
    let rows = flat(x.clone());
    if gives_value_again(x) {
        computed_again(rows, x, flat)
    } else {
        rows
    }
}
