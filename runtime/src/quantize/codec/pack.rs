//! Several codes to a byte.
//!
//! The bytes of a group hold planes of elements: byte `i` of `n` has element `i` in its lowest bits, then element `i + n`,
//! and so on, so that neighbours go to neighbouring bytes and no lane of a vector has to move.

use crate::quantize::width::Width;

/// How many bytes a group of so many elements takes.
pub(crate) fn packed_len(elements: usize, width: Width) -> usize {
    elements.div_ceil(width.per_byte())
}

/// Writes the codes of a group to bytes that are 0; `code` is given an element and its index, counted from `first`.
#[inline(always)]
pub(crate) fn pack<const BITS: u32, T: Copy>(
    elements: &[T],
    first: u32,
    bytes: &mut [u8],
    code: impl Fn(T, u32) -> u32,
) {
    let mut index = first;
    let planes = elements.chunks(bytes.len().max(1));
    for (elements, shift) in planes.zip((0..).step_by(BITS as usize)) {
        for (&element, byte) in elements.iter().zip(bytes.iter_mut()) {
            *byte |= low_byte(code(element, index) << shift);
            index = index.wrapping_add(1);
        }
    }
}

/// Reads the codes of a group; `store` is given each with the place of its element.
#[inline(always)]
pub(crate) fn unpack<const BITS: u32, T>(
    bytes: &[u8],
    elements: &mut [T],
    store: impl Fn(u32, &mut T),
) {
    let mask = const { Width::new(BITS).levels() };
    let planes = elements.chunks_mut(bytes.len().max(1));
    for (elements, shift) in planes.zip((0..).step_by(BITS as usize)) {
        for (element, &byte) in elements.iter_mut().zip(bytes) {
            store((u32::from(byte) >> shift) & mask, element);
        }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the codes of a byte")]
#[inline(always)]
fn low_byte(codes: u32) -> u8 {
    codes as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<const BITS: u32>() {
        let width = Width::new(BITS);
        for count in 0..300_u32 {
            let codes: Vec<u32> = (0..count)
                .map(|i| (i * i + 7 * i + 1) & width.levels())
                .collect();
            let mut bytes = vec![0; packed_len(codes.len(), width)];
            pack::<BITS, u32>(&codes, 5, &mut bytes, |code, index| {
                assert_eq!(code, codes[index as usize - 5]);
                code
            });
            let mut read = vec![u32::MAX; codes.len()];
            unpack::<BITS, u32>(&bytes, &mut read, |code, element| *element = code);
            assert_eq!(read, codes, "{BITS} bits");
        }
    }

    #[test]
    fn codes_come_back() {
        round_trip::<1>();
        round_trip::<2>();
        round_trip::<4>();
        round_trip::<8>();
    }

    #[test]
    fn bytes_of_a_group() {
        for (elements, bits, bytes) in [
            (0, 4, 0),
            (1, 1, 1),
            (5, 4, 3),
            (5, 2, 2),
            (9, 1, 2),
            (256, 2, 64),
        ] {
            assert_eq!(packed_len(elements, Width::new(bits)), bytes);
        }
    }
}
