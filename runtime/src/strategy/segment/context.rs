//! How a tensor stood in the caller's graph, without holding on to that graph.

use burn::tensor::{GradientCheckpointingStrategy, Tensor};

/// Enough to give a value without autodiff the standing its tensor had.
#[derive(Clone, Copy)]
pub(super) struct Context {
    tracked: bool,
    /// burn's own checkpointing strategy; `None` for a tensor without autodiff. Tensors of two
    /// strategies must not meet in one operation, so it is kept for each.
    strategy: Option<GradientCheckpointingStrategy>,
}

impl Context {
    pub(super) fn of<const D: usize>(tensor: &Tensor<D>) -> Self {
        Self {
            tracked: tensor.is_tracked(),
            strategy: tensor.gradient_checkpointing_strategy(),
        }
    }

    /// The value as a constant: layers still see an autodiff device, so that dropout and batch
    /// normalisation stay in training mode.
    pub(super) fn constant<const D: usize>(self, value: Tensor<D>) -> Tensor<D> {
        match self.strategy {
            Some(strategy) => value
                .autodiff()
                .with_gradient_checkpointing_strategy(strategy),
            None => value,
        }
    }

    /// The value as the start of a graph of its own: a leaf where the tensor was tracked.
    pub(super) fn leaf<const D: usize>(self, value: Tensor<D>) -> Tensor<D> {
        let value = self.constant(value);
        if self.tracked {
            value.require_grad()
        } else {
            value
        }
    }

    /// Whether the tensor stands like this already.
    pub(super) fn fits<const D: usize>(self, tensor: &Tensor<D>) -> bool {
        self.strategy == tensor.gradient_checkpointing_strategy()
            && self.tracked == tensor.is_tracked()
    }
}
