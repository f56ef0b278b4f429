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
