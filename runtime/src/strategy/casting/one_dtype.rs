//! That tensors which meet in an operation have one dtype.

use super::tensors::Floats;
use crate::tree::TensorTree;

/// Checks that all float tensors in both have one dtype, in every profile: in front of a sum or product of tensors that
/// come from different places, such as a stream in bf16 and what a layer in f32 hands on.
///
/// burn never promotes, and does not check everywhere: Flex panics at each operation of two dtypes (in release with the
/// words "dtype mismatch" and no place), and so does burn's fusion; a GPU without fusion reads the bits of one as the
/// other. No call of remat's leads there by itself, as outputs come back in the caller's precision: only
/// [`Autocast::output`](crate::Autocast::output), and casts by hand, make streams of two.
///
/// ```
/// use burn::tensor::{Device, FloatDType, Tensor};
/// use remat::amp::assert_one_dtype;
///
/// let device = Device::flex();
/// let x = Tensor::<2>::ones([2, 4], &device);
/// let h = x.clone().cast(FloatDType::BF16);
/// let h = h.cast(x.dtype()); // without this, the next line would panic
/// assert_one_dtype(&x, &h);
/// let y = x + h;
/// # let _ = y;
/// ```
///
/// # Panics
///
/// If two of them have different dtypes; the message names these, and the place of the call.
#[track_caller]
pub fn assert_one_dtype(one: &impl TensorTree, other: &impl TensorTree) {
    let mut floats = Floats::default();
    one.visit_tensors(&mut floats);
    other.visit_tensors(&mut floats);
    if let (Some(first), Some(other)) = (floats.dtype, floats.other) {
        panic!(
            "remat: tensors in {first:?} and in {other:?} meet, which burn does not convert. Cast one of them: \
             `.cast(..)`, or `#[autocast(.., output = ..)]` on the layer that it comes from."
        );
    }
}
