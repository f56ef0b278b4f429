//! What a micro-batch counts.

use super::Refused;

/// How much a micro-batch counts: a number of samples, or of tokens that are not padding.
///
/// ```
/// use remat::train::accumulator::Weight;
///
/// assert_eq!(Weight::from(4_usize), Weight::from(4.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight(f64);

impl Weight {
    /// The number.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0
    }

    /// The number as it is multiplied: in f32.
    pub(in crate::train) fn checked(self) -> Result<f32, Refused> {
        #[allow(
            clippy::cast_possible_truncation,
            reason = "what f32 cannot hold is refused"
        )]
        let weight = self.0 as f32;
        if weight.is_normal() && weight > 0.0 {
            Ok(weight)
        } else {
            Err(Refused::Weight(self.0))
        }
    }
}

macro_rules! from {
    ($($number:ty),*) => {$(
        impl From<$number> for Weight {
            #[allow(clippy::cast_lossless, reason = "lossless for some of them")]
            fn from(number: $number) -> Self {
                Self(number as f64)
            }
        }
    )*};
}

from!(f32, f64, i32, i64, u32, u64, usize);
