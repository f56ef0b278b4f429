//! What becomes of the elements that are beyond their limits.

use super::each;
use crate::host::Elements;
use burn::tensor::{Bool, Tensor, TensorData};

/// What an element beyond its limits is replaced by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Beyond {
    /// This number, also instead of infinity or NaN.
    Is(f64),
    /// The element times this.
    Times(f64),
    /// The same, as the gradient that burn has for it: the sum of what goes either way, of which one is 0. So a zero has
    /// the sign of that sum, also within the limits.
    SumOfWays(f64),
}

impl Beyond {
    /// In place.
    pub(super) fn on_host<E: Elements>(self, bits: &[u8], data: &mut TensorData) {
        let zero = E::default();
        match self {
            Self::Is(value) => {
                let value = E::nearest(value);
                each::<E>(
                    bits,
                    data,
                    #[inline(always)]
                    move |within, x| if within { x } else { value },
                );
            }
            Self::Times(factor) => {
                let factor = E::nearest(factor);
                each::<E>(
                    bits,
                    data,
                    #[inline(always)]
                    move |within, x| if within { x } else { x * factor },
                );
            }
            Self::SumOfWays(factor) => {
                let factor = E::nearest(factor);
                each::<E>(
                    bits,
                    data,
                    #[inline(always)]
                    move |within, x| {
                        let (straight, scaled) = if within { (x, zero) } else { (zero, x) };
                        straight + scaled * factor
                    },
                );
            }
        }
    }

    /// With the device's own operations.
    pub(crate) fn on_device<const D: usize>(
        self,
        x: Tensor<D>,
        is_beyond: Tensor<D, Bool>,
    ) -> Tensor<D> {
        match self {
            Self::Is(value) => x.mask_fill(is_beyond, value),
            Self::Times(factor) => {
                let scaled = x.clone().mul_scalar(factor);
                x.mask_where(is_beyond, scaled)
            }
            Self::SumOfWays(factor) => {
                let scaled = x.clone().mask_fill(is_beyond.clone().bool_not(), 0.0);
                x.mask_fill(is_beyond, 0.0) + scaled.mul_scalar(factor)
            }
        }
    }
}
