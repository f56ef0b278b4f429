//! From values to codes.

use super::grid::Grid;
use super::pack::pack;
use crate::quantize::width::{GUARD, Width};
use crate::random::Key;

/// What decides between the two steps around a value: a number for each element. The larger it is, the more values go to
/// the step above.
pub(crate) trait Dice: Copy + Send + Sync {
    fn roll(self, index: u32) -> u32;
}

/// Always the nearest step.
#[derive(Clone, Copy)]
pub(crate) struct Nearest;

impl Dice for Nearest {
    #[inline(always)]
    fn roll(self, _index: u32) -> u32 {
        1 << 31
    }
}

/// Either step, each with the probability that makes the value the mean of the two.
impl Dice for Key {
    #[inline(always)]
    fn roll(self, index: u32) -> u32 {
        self.hash(index)
    }
}

/// Writes the codes of a group, whose first element has the index `first`.
#[inline(always)]
pub(crate) fn encode<const BITS: u32>(
    values: &[f32],
    first: u32,
    dice: impl Dice,
    codes: &mut [u8],
) -> Grid {
    let (grid, per_value) = Grid::of(values, const { Width::new(BITS) });
    if !grid.is_none() {
        pack::<BITS, f32>(
            values,
            first,
            codes,
            #[inline(always)]
            move |value, index| code::<BITS>((value - grid.base) * per_value, dice.roll(index)),
        );
    }
    grid
}

/// The code of a value that is so far above the minimum, in the smallest fractions of a step.
///
/// All after the product is done in integers, which no device rounds in its own way.
#[inline(always)]
fn code<const BITS: u32>(above: f32, roll: u32) -> u32 {
    let width = const { Width::new(BITS) };
    let fixed = whole::<BITS>(above).cast_unsigned();
    let rounded = (fixed + (1 << (GUARD - 1))) >> GUARD;
    (rounded + (roll >> (u32::BITS - width.dice()))) >> width.dice()
}

/// The whole part of a number, clamped to what the codes can be.
#[inline(always)]
#[allow(unsafe_code, reason = "the checked conversion is not vectorised")]
fn whole<const BITS: u32>(number: f32) -> i32 {
    let limit = const { Width::new(BITS).full() };
    let number = if number > 0.0 { number } else { 0.0 };
    let number = if number < limit { number } else { limit };
    // SAFETY: it is in `0..=limit`, which is below 2^30; NaN has become 0.
    unsafe { number.to_int_unchecked() }
}
