//! Quantized tensors in the host's memory.

use super::codec::{Dice, Grid, Nearest, decode, encode, packed_len};
use super::quantizer::{Quantizer, Rounding};
use crate::host::{Elements, in_parallel, vectorised};
use crate::random::Key;
use burn::tensor::TensorData;

/// Elements that one thread does at a time, about.
const JOB: usize = 1 << 14;

/// A tensor in groups, in the order of its elements.
pub(super) struct Payload {
    quantizer: Quantizer,
    /// Of each group a whole number of bytes.
    codes: Vec<u8>,
    grids: Vec<Grid>,
    exact: Option<Exact>,
}

/// Groups that have no grid, as they are.
struct Exact {
    groups: Vec<usize>,
    /// Of one group after the other.
    elements: TensorData,
}

impl Payload {
    pub(super) fn encode<E: Elements>(elements: &[E], quantizer: Quantizer, seed: u64) -> Self {
        let Quantizer { group, width, .. } = quantizer;
        let whole = elements.len() / group * packed_len(group, width);
        let mut codes = vec![0; whole + packed_len(elements.len() % group, width)];
        let mut grids = vec![Grid::NONE; elements.len().div_ceil(group)];
        let encode = match width.bits() {
            8 => encode_all::<8, E>,
            4 => encode_all::<4, E>,
            _ => encode_all::<2, E>,
        };
        encode(elements, quantizer, seed, &mut codes, &mut grids);
        let exact = Exact::of(elements, group, &grids);
        Self {
            quantizer,
            codes,
            grids,
            exact,
        }
    }

    pub(super) fn decode<E: Elements>(&self, count: usize) -> Vec<E> {
        let mut elements = vec![E::default(); count];
        match self.quantizer.width.bits() {
            8 => self.decode_all::<8, E>(&mut elements),
            4 => self.decode_all::<4, E>(&mut elements),
            _ => self.decode_all::<2, E>(&mut elements),
        }
        if let Some(exact) = &self.exact {
            exact.restore(&mut elements, self.quantizer.group);
        }
        elements
    }

    pub(super) fn bytes(&self) -> usize {
        let exact = self.exact.as_ref().map_or(0, Exact::bytes);
        self.codes.len() + size_of_val(self.grids.as_slice()) + exact
    }

    fn decode_all<const BITS: u32, E: Elements>(&self, elements: &mut [E]) {
        let Job {
            groups,
            group,
            bytes,
        } = Job::new(self.quantizer);
        let elements = elements.chunks_mut(groups * group);
        let codes = self.codes.chunks(groups * bytes);
        let jobs = elements.zip(codes).zip(self.grids.chunks(groups));
        in_parallel(jobs.collect(), |((elements, codes), grids)| {
            vectorised(
                #[inline(always)]
                move || {
                    let groups = elements.chunks_mut(group).zip(codes.chunks(bytes));
                    for ((elements, codes), &grid) in groups.zip(grids) {
                        decode::<BITS, E>(codes, grid, elements);
                    }
                },
            );
        });
    }
}

/// How the groups of a tensor are dealt out.
struct Job {
    groups: usize,
    /// Elements of a group.
    group: usize,
    /// Bytes of a group.
    bytes: usize,
}

impl Job {
    fn new(Quantizer { group, width, .. }: Quantizer) -> Self {
        Self {
            groups: JOB.div_ceil(group),
            group,
            bytes: packed_len(group, width),
        }
    }
}

fn encode_all<const BITS: u32, E: Elements>(
    elements: &[E],
    quantizer: Quantizer,
    seed: u64,
    codes: &mut [u8],
    grids: &mut [Grid],
) {
    let job = Job::new(quantizer);
    match quantizer.rounding {
        Rounding::Nearest => job.encode::<BITS, E>(elements, Nearest, codes, grids),
        Rounding::Stochastic => job.encode::<BITS, E>(elements, Key::new(seed), codes, grids),
    }
}

impl Job {
    fn encode<const BITS: u32, E: Elements>(
        &self,
        elements: &[E],
        dice: impl Dice,
        codes: &mut [u8],
        grids: &mut [Grid],
    ) {
        let &Self {
            groups,
            group,
            bytes,
        } = self;
        let elements = (0..).zip(elements.chunks(groups * group));
        let codes = codes.chunks_mut(groups * bytes);
        let jobs = elements.zip(codes).zip(grids.chunks_mut(groups));
        in_parallel(jobs.collect(), |(((job, elements), codes), grids)| {
            vectorised(
                #[inline(always)]
                move || {
                    let mut first = job * groups * group;
                    let mut scratch = Vec::new();
                    let groups = elements.chunks(group).zip(codes.chunks_mut(bytes));
                    for ((elements, codes), grid) in groups.zip(grids) {
                        let values = E::widened(elements, &mut scratch);
                        *grid = encode::<BITS>(values, index(first), dice, codes);
                        first += group;
                    }
                },
            );
        });
    }
}

impl Exact {
    fn of<E: Elements>(elements: &[E], group: usize, grids: &[Grid]) -> Option<Self> {
        let without = grids.iter().enumerate().filter(|(_, grid)| grid.is_none());
        let groups: Vec<usize> = without.map(|(group, _)| group).collect();
        if groups.is_empty() {
            return None;
        }
        let of_groups = groups
            .iter()
            .flat_map(|at| &elements[range(*at, group, elements.len())]);
        let kept: Vec<E> = of_groups.copied().collect();
        let shape = [kept.len()];
        Some(Self {
            groups,
            elements: TensorData::new(kept, shape),
        })
    }

    fn restore<E: Elements>(&self, elements: &mut [E], group: usize) {
        let mut kept = self.elements.as_slice().expect("the tensor's dtype");
        let count = elements.len();
        for &at in &self.groups {
            let elements = &mut elements[range(at, group, count)];
            let (of_group, others) = kept.split_at(elements.len());
            elements.copy_from_slice(of_group);
            kept = others;
        }
    }

    fn bytes(&self) -> usize {
        self.elements.as_bytes().len() + size_of_val(self.groups.as_slice())
    }
}

/// An element's number is chosen by 32 bits of its index.
#[allow(
    clippy::cast_possible_truncation,
    reason = "larger tensors repeat them"
)]
fn index(element: usize) -> u32 {
    element as u32
}

/// Where the elements of a group are.
fn range(at: usize, group: usize, count: usize) -> std::ops::Range<usize> {
    at * group..count.min((at + 1) * group)
}
