//! A number for each element of a tensor, computed from a key and the element's index.
//!
//! The same on every backend, so it has 32 bits: more is not to be had in every shader.

use burn::tensor::{DType, Device, Int, Tensor};

/// Two halves of a seed: the first is added to the index, the second after the round of the index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    first: u32,
    second: u32,
}

/// A step of the hash: `h = (h ^ (h >> shift)) * factor`.
#[derive(Clone, Copy)]
struct Round {
    shift: u32,
    factor: u32,
}

/// The first round, of the index and the first half of the key.
const INDEX: Round = Round {
    shift: 16,
    factor: 0x85EB_CA6B,
};

/// Then, of that and the second half, `triple32` of Chris Wellons' hash prospector (2018): of all hashes of three rounds
/// that were searched, the one with the least bias.
const TRIPLE32: [Round; 3] = [
    Round {
        shift: 17,
        factor: 0xED5A_D4BB,
    },
    Round {
        shift: 11,
        factor: 0xAC4C_1B51,
    },
    Round {
        shift: 15,
        factor: 0x3184_8BAB,
    },
];
const LAST_SHIFT: u32 = 14;

impl Key {
    #[allow(clippy::cast_possible_truncation, reason = "the halves")]
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            first: seed as u32,
            second: (seed >> 32) as u32,
        }
    }

    /// The number of an element.
    #[inline(always)]
    pub(crate) fn hash(self, index: u32) -> u32 {
        let h = INDEX.of(index.wrapping_add(self.first));
        let h = h.wrapping_add(self.second);
        let h = TRIPLE32.iter().fold(h, |h, round| round.of(h));
        h ^ (h >> LAST_SHIFT)
    }

    /// The numbers of the elements `0..count`, as signed ones with the same bits: with the device's own operations.
    pub(crate) fn on_device(self, count: usize, device: &Device) -> Tensor<1, Int> {
        let indices = 0..i64::try_from(count).unwrap_or(i64::MAX);
        let h = Tensor::<1, Int>::arange(indices, (device, DType::I32));
        let h = INDEX.on_device(h.add_scalar(self.first.cast_signed()));
        let h = h.add_scalar(self.second.cast_signed());
        let h = TRIPLE32.iter().fold(h, |h, round| round.on_device(h));
        shifted(h, LAST_SHIFT)
    }
}

impl Round {
    #[inline(always)]
    fn of(self, h: u32) -> u32 {
        (h ^ (h >> self.shift)).wrapping_mul(self.factor)
    }

    fn on_device(self, h: Tensor<1, Int>) -> Tensor<1, Int> {
        shifted(h, self.shift).mul_scalar(self.factor.cast_signed())
    }
}

/// `h ^ (h >> shift)` of unsigned numbers: shifting a signed one copies its sign, which is masked away.
fn shifted(h: Tensor<1, Int>, shift: u32) -> Tensor<1, Int> {
    let without_sign = (u32::MAX >> shift).cast_signed();
    let right = h.clone().bitwise_right_shift_scalar(shift);
    h.bitwise_xor(right.bitwise_and_scalar(without_sign))
}
