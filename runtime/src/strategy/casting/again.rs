//! Results of cheap operations that are done again in the backward pass.

use super::super::compression::{approximating, are_approximate};
use crate::tape::{SavedAs, Values, gives_value_again, save_as};
use burn::tensor::Tensor;

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

/// The rows of all batches `[batch * length, width]`.
///
/// burn reshapes the weight of a product instead, and keeps that; of a matrix that is computed again it keeps nothing.
pub(in super::super) fn rows(x: Tensor<3>) -> Tensor<2> {
    let [batch, length, width] = x.dims();
    let flat = move |x: Tensor<3>| x.reshape([batch * length, width]);
    let rows = flat(x.clone());
    if gives_value_again(&x) {
        computed_again(rows, &x, flat)
    } else {
        rows
    }
}
