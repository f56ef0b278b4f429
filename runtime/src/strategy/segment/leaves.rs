//! The fresh leaves of a segment's own graph.

use super::context::Context;
use crate::tape::ParentId;
use burn::backend::DispatchTensor;
use burn::tensor::Tensor;
use std::collections::HashMap;

/// One leaf for each tracked tensor, however often it is an input or a parameter: burn then sums
/// its gradients in the order in which it would have without the segment.
#[derive(Default)]
pub(super) struct Leaves(HashMap<ParentId, DispatchTensor>);

impl Leaves {
    /// The value on the segment's graph: the leaf of its tensor, or a constant.
    pub(super) fn place<const D: usize>(
        &mut self,
        context: Context,
        value: Tensor<D>,
    ) -> Tensor<D> {
        let Some(id) = context.id() else {
            return context.inside(value);
        };
        let leaf = self
            .0
            .entry(id)
            .or_insert_with(|| context.inside(value).require_grad().into_dispatch());
        Tensor::from_dispatch(leaf.clone())
    }
}
