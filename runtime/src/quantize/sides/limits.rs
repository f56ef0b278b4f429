//! Limits of elements.

use crate::host::Elements;
use burn::tensor::{Bool, Tensor};
use std::ops::{Bound, RangeBounds};

/// A range, of which at least one end is a limit.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    low: Bound<f64>,
    high: Bound<f64>,
}

impl Limits {
    pub(crate) fn new(range: &impl RangeBounds<f64>) -> Self {
        Self {
            low: range.start_bound().cloned(),
            high: range.end_bound().cloned(),
        }
    }

    /// Whether an element is within: it is no comparison that says so, but two that fail, as they do for NaN.
    #[inline(always)]
    pub(super) fn within<E: Elements>(self) -> impl Fn(E) -> bool {
        let (low, high) = (self.low.map(E::nearest), self.high.map(E::nearest));
        #[inline(always)]
        move |element| {
            let below = match low {
                Bound::Included(low) => element < low,
                Bound::Excluded(low) => element <= low,
                Bound::Unbounded => false,
            };
            let above = match high {
                Bound::Included(high) => element > high,
                Bound::Excluded(high) => element >= high,
                Bound::Unbounded => false,
            };
            !(below || above)
        }
    }

    /// Which elements are not, by the device's own comparisons.
    pub(crate) fn beyond<const D: usize>(self, x: Tensor<D>) -> Tensor<D, Bool> {
        let below = match self.low {
            Bound::Included(low) => Some(x.clone().lower_elem(low)),
            Bound::Excluded(low) => Some(x.clone().lower_equal_elem(low)),
            Bound::Unbounded => None,
        };
        let above = match self.high {
            Bound::Included(high) => Some(x.greater_elem(high)),
            Bound::Excluded(high) => Some(x.greater_equal_elem(high)),
            Bound::Unbounded => None,
        };
        let either = below.into_iter().chain(above).reduce(Tensor::bool_or);
        either.expect("a range with a limit")
    }
}
