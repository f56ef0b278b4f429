//! How a tensor stood in the caller's graph, without holding on to that graph.

use crate::tape::{Parent, ParentId};
use burn::tensor::kind::Autodiff;
use burn::tensor::{GradientCheckpointingStrategy, Tensor};

/// Enough to give a value without autodiff the standing its tensor had.
#[derive(Clone, Copy)]
pub(in super::super) struct Context {
    /// Which tensor of the caller's graph it was; `None` if it was not tracked.
    id: Option<ParentId>,
    /// burn's own checkpointing strategy; `None` for a tensor without autodiff.
    strategy: Option<GradientCheckpointingStrategy>,
}

impl Context {
    pub(super) fn of_float<const D: usize>(tensor: &Tensor<D>) -> Self {
        Self {
            id: Parent::of(tensor).map(|parent| parent.id()),
            ..Self::of(tensor)
        }
    }

    /// Of a tensor that is not tracked, as those of other kinds.
    pub(in super::super) fn of<const D: usize, K: Autodiff>(tensor: &Tensor<D, K>) -> Self {
        Self {
            id: None,
            strategy: tensor.gradient_checkpointing_strategy(),
        }
    }

    pub(super) fn id(self) -> Option<ParentId> {
        self.id
    }

    /// The value as a constant of the caller's device: layers still see an autodiff device, so that
    /// dropout and batch normalisation stay in training mode. Tensors of two of burn's strategies
    /// must not meet, so it has the caller's.
    pub(in super::super) fn constant<const D: usize, K: Autodiff>(
        self,
        value: Tensor<D, K>,
    ) -> Tensor<D, K> {
        match self.strategy {
            Some(strategy) => value
                .autodiff()
                .with_gradient_checkpointing_strategy(strategy),
            None => value,
        }
    }

    /// The value on the segment's own graph.
    ///
    /// That graph has burn's default strategy: `Module::train`, which alone reaches tensors that
    /// are fields of a module and no parameters, knows no other.
    pub(super) fn inside<const D: usize, K: Autodiff>(self, value: Tensor<D, K>) -> Tensor<D, K> {
        let value = value.inner();
        match self.strategy {
            Some(_) => value.autodiff(),
            None => value,
        }
    }
}
