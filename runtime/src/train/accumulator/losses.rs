//! The losses of a window, which stay on the device until somebody asks.

use crate::amp;
use burn::tensor::{Bool, Tensor};

#[derive(Debug, Default)]
pub(super) struct Losses(Vec<(f64, Tensor<1>)>);

impl Losses {
    pub(super) fn push<const D: usize>(&mut self, loss: &Tensor<D>, weight: f32) {
        let value = loss.clone().inner().reshape([1]);
        self.0.push((f64::from(weight), value));
    }

    /// The weighted sum.
    pub(super) fn sum(&self) -> f64 {
        let Some((_, first)) = self.0.first() else {
            return f64::NAN;
        };
        let device = first.device();
        let values = self
            .0
            .iter()
            .map(|(_, loss)| loss.clone().to_device(&device));
        let values = Tensor::cat(values.collect(), 0).into_data();
        let weights = self.0.iter().map(|(weight, _)| weight);
        weights
            .zip(values.iter::<f64>())
            .map(|(weight, loss)| weight * loss)
            .sum()
    }

    /// How many are infinite or NaN.
    pub(super) fn non_finite(&self) -> usize {
        let finite: Vec<Tensor<1, Bool>> = self
            .0
            .iter()
            .map(|(_, loss)| loss.clone().is_finite())
            .collect();
        amp::read(finite)
            .into_iter()
            .filter(|finite| !finite)
            .count()
    }
}

/// Whether a loss is finite: waits for the device.
pub(super) fn is_finite<const D: usize>(loss: &Tensor<D>) -> bool {
    loss.clone().inner().is_finite().all().into_scalar::<bool>()
}
