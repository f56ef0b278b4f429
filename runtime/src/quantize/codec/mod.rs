//! A group of values in f32: to codes and back, in slices.

mod decode;
mod encode;
mod grid;
mod pack;

pub(super) use decode::decode;
pub(super) use encode::{Dice, Nearest, encode};
pub(super) use grid::{EIGHT_BITS_DOWN, EIGHT_BITS_UP, Grid, LARGEST, SMALLEST};
pub(super) use pack::{pack, packed_len, unpack};
