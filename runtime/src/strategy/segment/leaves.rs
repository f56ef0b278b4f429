//! The fresh leaves of a segment's own graph.

use super::context::Context;
use crate::tape::{Cotangents, Parent, ParentGradients, ParentId, record};
use burn::backend::DispatchTensor;
use burn::tensor::Tensor;
use std::collections::HashMap;

/// One leaf for each tracked tensor, however often it is an input or a parameter: burn then sums
/// its gradients in the order in which it would have without the segment.
#[derive(Default)]
pub(super) struct Leaves {
    /// What stands for a tensor of the caller's graph.
    inside: HashMap<ParentId, DispatchTensor>,
    /// The leaves behind what stands for inputs.
    behind: HashMap<ParentId, DispatchTensor>,
}

impl Leaves {
    /// The value of a parameter on the segment's graph: the leaf of its tensor, or a constant.
    pub(super) fn place<const D: usize>(
        &mut self,
        context: Context,
        value: Tensor<D>,
    ) -> Tensor<D> {
        self.stand_in(context, value, |_, leaf| leaf)
    }

    /// The value of an input on the segment's graph: the result of an operation on its leaf, since a segment inside
    /// learns what results have collected so far, and of leaves it does not.
    pub(super) fn place_input<const D: usize>(
        &mut self,
        context: Context,
        value: Tensor<D>,
    ) -> Tensor<D> {
        self.stand_in(context, value, |behind, leaf| {
            let input = same(&leaf);
            if let Some(id) = Parent::of(&input).map(|input| input.id()) {
                behind.insert(id, leaf.into_dispatch());
            }
            input
        })
    }

    fn stand_in<const D: usize>(
        &mut self,
        context: Context,
        value: Tensor<D>,
        of: impl FnOnce(&mut HashMap<ParentId, DispatchTensor>, Tensor<D>) -> Tensor<D>,
    ) -> Tensor<D> {
        let Some(id) = context.id() else {
            return context.inside(value);
        };
        let behind = &mut self.behind;
        let known = self.inside.entry(id).or_insert_with(|| {
            let leaf = context.inside(value).require_grad();
            of(behind, leaf).into_dispatch()
        });
        Tensor::from_dispatch(known.clone())
    }

    /// The leaf behind an input or a parameter of the segment's graph.
    pub(super) fn leaf<const D: usize>(&self, inside: &Tensor<D>) -> Tensor<D> {
        let id = Parent::of(inside).map(|inside| inside.id());
        let leaf = id.and_then(|id| self.behind.get(&id));
        leaf.map_or_else(
            || inside.clone(),
            |leaf| Tensor::from_dispatch(leaf.clone()),
        )
    }
}

/// The same value, as the result of an operation.
fn same<const D: usize>(leaf: &Tensor<D>) -> Tensor<D> {
    let hand_on = |mut outputs: Cotangents, parents: &mut ParentGradients| {
        if let Some(gradient) = outputs.take::<D>(0) {
            parents.set(0, gradient);
        }
    };
    record(Parent::of(leaf).into_iter().collect(), hand_on).output(leaf.clone())
}
