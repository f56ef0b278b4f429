//! The losses of a window, which stay on the device until somebody asks.

use super::Reduction;
use crate::reads::{self, Reads};
use burn::tensor::{Tensor, TensorData};

#[derive(Debug)]
pub(super) struct Losses {
    reduction: Reduction,
    /// With their weights.
    all: Vec<(f64, Tensor<1>)>,
}

/// What was read.
pub(super) struct Read {
    /// The weighted mean; NaN if there is no loss.
    pub(super) mean: f64,
    /// How many are infinite or NaN.
    pub(super) non_finite: usize,
}

impl Losses {
    pub(super) fn new(reduction: Reduction) -> Self {
        Self {
            reduction,
            all: Vec::new(),
        }
    }

    pub(super) fn push<const D: usize>(&mut self, loss: &Tensor<D>, weight: f32) {
        let value = loss.clone().inner().reshape([1]);
        self.all.push((f64::from(weight), value));
    }

    pub(super) fn ask(&self, reads: &mut Reads) {
        for (_, loss) in &self.all {
            reads.add(loss.clone());
        }
    }

    /// From what was [asked](Self::ask).
    pub(super) fn told(&self, read: &mut impl Iterator<Item = TensorData>) -> Read {
        let read = read.take(self.all.len());
        let losses: Vec<f64> = read
            .flat_map(|loss| loss.iter().collect::<Vec<_>>())
            .collect();
        Read {
            mean: self.mean(&losses),
            non_finite: losses.iter().filter(|loss| !loss.is_finite()).count(),
        }
    }

    pub(super) fn read(&self) -> Read {
        let mut reads = Reads::default();
        self.ask(&mut reads);
        self.told(&mut reads.execute())
    }

    fn mean(&self, losses: &[f64]) -> f64 {
        if losses.is_empty() {
            return f64::NAN;
        }
        let weights = || self.all.iter().map(|(weight, _)| weight);
        match self.reduction {
            Reduction::Mean => {
                let weighted = weights().zip(losses).map(|(weight, loss)| weight * loss);
                weighted.sum::<f64>() / weights().sum::<f64>()
            }
            Reduction::Sum => losses.iter().sum::<f64>() / weights().sum::<f64>(),
            Reduction::Total => losses.iter().sum(),
        }
    }
}

/// Whether a loss is finite: waits for the device.
pub(super) fn is_finite<const D: usize>(loss: &Tensor<D>) -> bool {
    let finite = loss.clone().inner().is_finite();
    reads::one(finite).iter().all(|finite: bool| finite)
}
