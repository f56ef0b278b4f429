//! Several codes to a byte.
//!
//! A block of bytes holds planes of elements: byte `i` has element `i` in its lowest bits, then element `i + 16`, and so
//! on, so that neighbours go to neighbouring bytes and no lane of a vector has to move. The last block of a group is
//! as narrow as it can be.

use crate::quantize::width::Width;

/// Bytes of a block.
const LANES: usize = 16;

/// How many bytes a group of so many elements takes.
pub(crate) fn packed_len(elements: usize, width: Width) -> usize {
    elements.div_ceil(width.per_byte())
}

/// Writes the codes of a group; `code` is given an element and its index, counted from `first`.
#[inline(always)]
pub(crate) fn pack<const BITS: u32, T: Copy>(
    elements: &[T],
    first: u32,
    bytes: &mut [u8],
    code: impl Fn(T, u32) -> u32,
) {
    let block = const { LANES * Width::new(BITS).per_byte() };
    let whole = elements.len() / block;
    let (blocks, rest) = elements.split_at(whole * block);
    let (lanes, last) = bytes.split_at_mut(whole * LANES);
    let mut index = first;
    for (elements, bytes) in blocks
        .chunks_exact(block)
        .zip(lanes.chunks_exact_mut(LANES))
    {
        let mut packed = [0; LANES];
        for (plane, elements) in (0..).zip(elements.chunks_exact(LANES)) {
            let index = offset(index, plane as usize * LANES);
            for ((packed, &element), lane) in packed.iter_mut().zip(elements).zip(0..) {
                *packed |= code(element, index.wrapping_add(lane)) << (plane * BITS);
            }
        }
        for (byte, packed) in bytes.iter_mut().zip(packed) {
            *byte = packed as u8;
        }
        index = offset(index, block);
    }
    let width = last.len();
    for (lane, byte) in last.iter_mut().enumerate() {
        let plane = rest.iter().enumerate().skip(lane).step_by(width);
        *byte = plane.zip(0..).fold(0, |packed, ((at, &element), plane)| {
            packed | code(element, offset(index, at)) << (plane * BITS)
        }) as u8;
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
    let block = const { LANES * Width::new(BITS).per_byte() };
    let whole = elements.len() / block;
    let (blocks, rest) = elements.split_at_mut(whole * block);
    let (lanes, last) = bytes.split_at(whole * LANES);
    for (elements, bytes) in blocks
        .chunks_exact_mut(block)
        .zip(lanes.chunks_exact(LANES))
    {
        for (plane, elements) in (0..).zip(elements.chunks_exact_mut(LANES)) {
            for (element, &byte) in elements.iter_mut().zip(bytes) {
                store(u32::from(byte) >> (plane * BITS) & mask, element);
            }
        }
    }
    for (plane, elements) in (0..).zip(rest.chunks_mut(last.len().max(1))) {
        for (element, &byte) in elements.iter_mut().zip(last) {
            store(u32::from(byte) >> (plane * BITS) & mask, element);
        }
    }
}

/// The index of an element: the numbers for rounding have 32 bits, and so have indices.
#[inline(always)]
fn offset(index: u32, elements: usize) -> u32 {
    index.wrapping_add(elements as u32)
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
