//! Reading and writing the running statistics of a layer.

use burn::module::RunningState;
use burn::nn::BatchNorm;
use burn::tensor::Tensor;

/// A mean and a variance for each channel, without autodiff.
pub(super) struct Statistics {
    pub(super) mean: Tensor<1>,
    pub(super) variance: Tensor<1>,
}

pub(super) fn read(norm: &BatchNorm) -> Statistics {
    Statistics {
        mean: norm.running_mean.value_sync().inner(),
        variance: norm.running_var.value_sync().inner(),
    }
}

pub(super) fn write(norm: &BatchNorm, statistics: Statistics) {
    set(&norm.running_mean, statistics.mean);
    set(&norm.running_var, statistics.variance);
}

/// Layers with their running statistics, which are those again when this is dropped: also by a panic.
pub(super) struct Unmoved<'a>(Vec<(&'a BatchNorm, Statistics)>);

impl<'a> Unmoved<'a> {
    pub(super) fn new(norms: Vec<&'a BatchNorm>) -> Self {
        Self(norms.into_iter().map(|norm| (norm, read(norm))).collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(&'a BatchNorm, Statistics)> {
        self.0.iter()
    }
}

impl Drop for Unmoved<'_> {
    fn drop(&mut self) {
        for (norm, statistics) in self.0.drain(..) {
            write(norm, statistics);
        }
    }
}

/// burn keeps a value until the next reading, when it becomes the state; and the mean, if several threads have one.
fn set(state: &RunningState<Tensor<1>>, value: Tensor<1>) {
    let autodiff = state.value_sync().is_autodiff();
    state.update(if autodiff {
        Tensor::from_inner(value)
    } else {
        value
    });
    let _ = state.value_sync();
}
