//! The elements of a tensor as a slice.

use burn::tensor::{Element, Tensor, bf16, f16};
use std::ops::{Add, Mul};

#[cfg(feature = "flex")]
use burn::backend::{Flex, tensor::FloatTensor};

/// A type of elements that the host computes with: its sums and products are rounded as burn's.
pub(crate) trait Elements:
    Element + Default + PartialOrd + Add<Output = Self> + Mul<Output = Self>
{
    /// The values in f32, which may be written to `scratch`.
    fn widened<'a>(values: &'a [Self], scratch: &'a mut Vec<f32>) -> &'a [f32];

    /// The nearest element.
    fn narrowed(value: f32) -> Self;

    /// The element that burn computes with where it is given this number.
    fn nearest(number: f64) -> Self;

    /// The elements where they are, if they lie there in order.
    #[cfg(feature = "flex")]
    fn in_place(tensor: &FloatTensor<Flex>) -> Option<&[Self]>;
}

impl Elements for f32 {
    #[inline(always)]
    fn widened<'a>(values: &'a [Self], _scratch: &'a mut Vec<f32>) -> &'a [f32] {
        values
    }

    #[inline(always)]
    fn narrowed(value: f32) -> Self {
        value
    }

    #[inline(always)]
    fn nearest(number: f64) -> Self {
        to_f32(number)
    }

    #[cfg(feature = "flex")]
    fn in_place(tensor: &FloatTensor<Flex>) -> Option<&[Self]> {
        tensor.as_slice()
    }
}

macro_rules! elements {
    ($($float:ident: $to_f32:expr, $from_f32:expr, $from_f64:expr;)*) => {$(
        impl Elements for $float {
            #[inline(always)]
            fn widened<'a>(values: &'a [Self], scratch: &'a mut Vec<f32>) -> &'a [f32] {
                scratch.clear();
                scratch.extend(values.iter().map(|&value| $to_f32(value)));
                scratch
            }

            #[inline(always)]
            fn narrowed(value: f32) -> Self {
                $from_f32(value)
            }

            #[inline(always)]
            fn nearest(number: f64) -> Self {
                $from_f64(number)
            }

            #[cfg(feature = "flex")]
            fn in_place(tensor: &FloatTensor<Flex>) -> Option<&[Self]> {
                tensor.as_slice()
            }
        }
    )*};
}

elements! {
    f64: to_f32, f64::from, std::convert::identity;
    f16: f16::to_f32, f16::from_f32, |number| f16::from_f32(to_f32(number));
    bf16: bf16::to_f32, bf16::from_f32, |number| bf16::from_f32(to_f32(number));
}

/// Runs the first expression with `$E` as the type of elements of that dtype; the other one, if the host does not compute
/// with them.
macro_rules! on_elements {
    ($dtype:expr, $E:ident => $body:expr, _ => $other:expr) => {{
        use ::burn::tensor::{DType, bf16, f16};
        macro_rules! of {
            ($float:ty) => {{
                type $E = $float;
                $body
            }};
        }
        match $dtype {
            DType::F64 => of!(f64),
            DType::F32 => of!(f32),
            DType::F16 => of!(f16),
            DType::BF16 => of!(bf16),
            _ => $other,
        }
    }};
}
pub(crate) use on_elements;

/// Infinite if it is out of an f32's range.
#[allow(clippy::cast_possible_truncation, reason = "what is computed in f32")]
#[inline(always)]
fn to_f32(value: f64) -> f32 {
    value as f32
}

/// Gives `f` the elements of a tensor of type `E`, in order: without a copy of them, where burn lets it.
pub(crate) fn with_elements<E: Elements, const D: usize, R>(
    tensor: Tensor<D>,
    f: impl FnOnce(&[E]) -> R,
) -> R {
    #[cfg(feature = "flex")]
    if let Ok(primitive) = tensor.clone().try_into_primitive::<Flex>()
        && let Some(elements) = E::in_place(&primitive)
    {
        return f(elements);
    }
    let data = tensor.into_data();
    f(data.as_slice().expect("the dtype is that of the elements"))
}
