//! From codes to values.

use super::grid::Grid;
use super::pack::unpack;
use crate::host::Elements;

/// Writes the elements of a group.
#[inline(always)]
pub(crate) fn decode<const BITS: u32, E: Elements>(codes: &[u8], grid: Grid, elements: &mut [E]) {
    let grid = grid.split();
    unpack::<BITS, E>(
        codes,
        elements,
        #[inline(always)]
        move |code, element| *element = E::narrowed(grid.value(code)),
    );
}
