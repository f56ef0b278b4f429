//! How many bits an element has, and what follows from it.

/// The bits of an element: 1, 2, 4 or 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Width(u32);

/// So many of the last bits of a fixed-point number are rounded away before chance is asked: they are what f32 got wrong.
/// A value on a step of its group stays there.
pub(crate) const GUARD: u32 = 10;

impl Width {
    /// Panics unless a byte holds a whole number of elements.
    pub(crate) const fn new(bits: u32) -> Self {
        assert!(
            matches!(bits, 1 | 2 | 4 | 8),
            "remat: an element is quantized to 8, 4 or 2 bits"
        );
        Self(bits)
    }

    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    /// The largest code.
    pub(crate) const fn levels(self) -> u32 {
        (1 << self.0) - 1
    }

    /// Elements in a byte.
    pub(crate) const fn per_byte(self) -> usize {
        (u8::BITS / self.0) as usize
    }

    /// Elements in a word of 32 bits.
    pub(crate) const fn per_word(self) -> usize {
        (u32::BITS / self.0) as usize
    }

    /// Bits after the point when a value is first measured in steps: as many as an i32 has place for.
    const fn fraction(self) -> u32 {
        30 - self.0
    }

    /// The largest code in that representation: exact, since it has 8 bits.
    pub(crate) const fn full(self) -> f32 {
        (self.levels() << self.fraction()) as f32
    }

    /// Bits after the point that are rounded by chance.
    pub(crate) const fn dice(self) -> u32 {
        self.fraction() - GUARD
    }
}
