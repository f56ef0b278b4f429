//! A few numbers that tell whether a tensor's values are the same again.

use crate::tape::reads_wait;
use burn::tensor::{DType, Tensor, kind::Basic};

/// Random projections of the values onto vectors of signs. The square of a projection of a
/// difference is, in the mean, the squared norm of that difference (Alon, Matias, Szegedy: The
/// Space Complexity of Approximating the Frequency Moments, 1999), so that equal projections mean
/// equal values, and the size of a difference can be told without keeping the tensor.
pub(super) struct Fingerprint {
    projections: [f64; PROJECTIONS as usize],
    /// Sum of squares of the finite values.
    energy: f64,
    /// Values that are NaN or infinite, with their places mixed in.
    not_finite: u64,
    /// Squared relative difference that the kernels' choice may make.
    tolerance: f64,
}

const PROJECTIONS: u8 = 8;

impl Fingerprint {
    pub(super) fn of<const D: usize, K: Basic>(tensor: &Tensor<D, K>) -> Self {
        let mut fingerprint = Self {
            projections: [0.0; PROJECTIONS as usize],
            energy: 0.0,
            not_finite: 0,
            tolerance: tolerance(tensor),
        };
        for (index, value) in tensor.to_data().iter::<f64>().enumerate() {
            fingerprint.add(index as u64, value);
        }
        fingerprint
    }

    fn add(&mut self, index: u64, value: f64) {
        let bits = scatter(index);
        if !value.is_finite() {
            let kind = if value.is_nan() { 0 } else { value.to_bits() };
            self.not_finite = self.not_finite.wrapping_add(scatter(bits ^ kind) | 1);
            return;
        }
        self.energy += value * value;
        for (place, projection) in self.projections.iter_mut().enumerate() {
            *projection += if bits >> place & 1 == 0 {
                value
            } else {
                -value
            };
        }
    }

    pub(super) fn matches(&self, other: &Self) -> bool {
        let pairs = self.projections.iter().zip(&other.projections);
        let difference: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
        self.not_finite == other.not_finite
            && difference / f64::from(PROJECTIONS) <= self.tolerance * self.tolerance * self.energy
    }
}

/// A backend that tunes its kernels while running may take another one the second time, which
/// rounds differently; the others give the same bits.
fn tolerance<const D: usize, K: Basic>(tensor: &Tensor<D, K>) -> f64 {
    match tensor.dtype() {
        _ if !reads_wait(&tensor.device()) => 0.0,
        DType::F16 | DType::BF16 => 3e-2,
        _ => 1e-3,
    }
}

/// Sign bits for a place: a multiplication and a fold (the finaliser of `MurmurHash3`).
fn scatter(index: u64) -> u64 {
    let mixed = (index ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    mixed ^ (mixed >> 33)
}
