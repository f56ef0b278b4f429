//! A number for each element of a tensor, computed from a key and the element's index.
//!
//! The same on every backend, so it has 32 bits: more is not to be had in every shader.

/// Two halves of a seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    first: u32,
    second: u32,
}

/// A step of the hash: `h = (h ^ (h >> shift)) * factor`.
#[derive(Clone, Copy)]
pub(super) struct Round {
    pub(super) shift: u32,
    pub(super) factor: u32,
}

/// The first round, of the index and the first half of the key.
pub(super) const INDEX: Round = Round {
    shift: 16,
    factor: 0x85EB_CA6B,
};

/// Then, of that and the second half, `triple32` of Chris Wellons' hash prospector (2018): of all hashes of three rounds
/// that were searched, the one with the least bias.
pub(super) const TRIPLE32: [Round; 3] = [
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
pub(super) const LAST_SHIFT: u32 = 14;

impl Key {
    #[allow(clippy::cast_possible_truncation, reason = "the halves")]
    pub(super) fn new(seed: u64) -> Self {
        Self {
            first: seed as u32,
            second: (seed >> 32) as u32,
        }
    }

    /// Added to the index.
    pub(super) fn first(self) -> u32 {
        self.first
    }

    /// Added after the round of the index.
    pub(super) fn second(self) -> u32 {
        self.second
    }

    /// The number of an element.
    #[inline(always)]
    pub(super) fn hash(self, index: u32) -> u32 {
        let h = INDEX.of(index.wrapping_add(self.first));
        let h = h.wrapping_add(self.second);
        let h = TRIPLE32.iter().fold(h, |h, round| round.of(h));
        h ^ (h >> LAST_SHIFT)
    }
}

impl Round {
    #[inline(always)]
    fn of(&self, h: u32) -> u32 {
        (h ^ (h >> self.shift)).wrapping_mul(self.factor)
    }
}
