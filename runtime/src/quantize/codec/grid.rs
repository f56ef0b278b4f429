//! The steps of a group: where they start and how far apart they are.

use crate::quantize::width::Width;

/// The values that a group's elements may take: `base + code * scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    /// The group's minimum, or NaN in a group without steps.
    pub(crate) base: f32,
    pub(crate) scale: f32,
}

/// Ranges below count as this one. Neither a step of it nor the rest of a step (see [`Split`]) is subnormal, which some
/// devices take for 0, and what is divided by it does not become infinite.
pub(crate) const SMALLEST: f32 = f32::from_bits((127 - 80) << 23);

/// Groups with a larger range, 2^127, have no steps: the values between might overflow. (Nor have those with infinity
/// or NaN: their range is infinite or NaN.)
pub(crate) const LARGEST: f32 = f32::from_bits((127 + 127) << 23);

/// Both are powers of two: products with them are exact.
pub(crate) const EIGHT_BITS_DOWN: f32 = 1.0 / EIGHT_BITS_UP;
pub(crate) const EIGHT_BITS_UP: f32 = 256.0;

impl Grid {
    pub(crate) const NONE: Self = Self {
        base: f32::NAN,
        scale: f32::NAN,
    };

    /// The steps of the group, if it has any, and what to multiply with to measure in the smallest fractions of one.
    #[inline(always)]
    pub(crate) fn of(values: &[f32], width: Width) -> (Self, f32) {
        let (min, max) = extremes(values);
        let range = max - min;
        if range <= LARGEST {
            let range = range.max(SMALLEST);
            let grid = Self {
                // 0 instead of -0: the order of the two is not the same everywhere.
                base: min + 0.0,
                scale: range / width.levels() as f32,
            };
            // In two steps, as a device has to do it that takes reciprocals of tensors only.
            (grid, 1.0 / range * width.full())
        } else {
            (Self::NONE, 0.0)
        }
    }

    /// Whether the group has no steps.
    pub(crate) fn is_none(self) -> bool {
        self.base.is_nan()
    }

    pub(crate) fn split(self) -> Split {
        let Self { base, scale } = self;
        // What is added to a larger number and taken off again loses its last digits, here 8 binary ones.
        let high = ((scale * EIGHT_BITS_DOWN + scale) - scale) * EIGHT_BITS_UP;
        Split {
            base,
            high,
            low: scale - high,
        }
    }
}

/// A grid whose step is a sum of two numbers with 16 bits.
///
/// The products of a code and one of them are exact. A device may therefore fuse multiplication and addition or not:
/// the result is the same, to the bit.
#[derive(Clone, Copy)]
pub(crate) struct Split {
    base: f32,
    high: f32,
    low: f32,
}

impl Split {
    #[inline(always)]
    pub(crate) fn value(self, code: u32) -> f32 {
        // Vectors convert signed integers only.
        let code = code.cast_signed() as f32;
        (self.base + code * self.high) + code * self.low
    }
}

/// Minimum and maximum; NaN is below -infinity or above infinity, depending on its sign, and so always one of the two.
#[inline(always)]
fn extremes(values: &[f32]) -> (f32, f32) {
    let (min, max) = values
        .iter()
        .fold((i32::MAX, i32::MIN), |(min, max), value| {
            let key = flipped(value.to_bits().cast_signed());
            (min.min(key), max.max(key))
        });
    let value = |key| f32::from_bits(flipped(key).cast_unsigned());
    (value(min), value(max))
}

/// Between the bits of a float and an integer in the order of the floats: of negative ones, all bits but the sign are
/// inverted.
#[inline(always)]
fn flipped(bits: i32) -> i32 {
    bits ^ ((bits >> 31).cast_unsigned() >> 1).cast_signed()
}
