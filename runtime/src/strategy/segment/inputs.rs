//! The inputs of a segment, kept until the backward pass.

use super::context::Context;
use super::{Parents, Taken};
use crate::tree::{TensorMapper, TensorTree, TensorVisitor};
use burn::tensor::Tensor;

/// Inputs without their graph.
pub(crate) struct KeptInputs<I> {
    values: I,
    contexts: Vec<Context>,
}

impl<I: TensorTree> KeptInputs<I> {
    pub(crate) fn of(inputs: &I) -> Self {
        let mut keep = Keep(Vec::new());
        let values = inputs.map_tensors(&mut keep);
        Self {
            values,
            contexts: keep.0,
        }
    }

    /// The inputs as constants of the caller's device.
    pub(crate) fn constants(&self) -> I {
        self.values
            .map_tensors(&mut Constants(self.contexts.iter()))
    }

    /// The inputs as leaves of a graph of their own.
    pub(crate) fn leaves(&self) -> I {
        self.values.map_tensors(&mut Leaves(self.contexts.iter()))
    }
}

/// The same tensors once more.
pub(crate) fn share<I: TensorTree>(inputs: &I) -> I {
    inputs.map_tensors(&mut Share)
}

struct Share;

impl TensorMapper for Share {}

struct Keep(Vec<Context>);

impl TensorMapper for Keep {
    fn map_float<const D: usize>(&mut self, tensor: Tensor<D>) -> Tensor<D> {
        self.0.push(Context::of(&tensor));
        tensor.inner()
    }
}

struct Constants<'a>(std::slice::Iter<'a, Context>);

impl TensorMapper for Constants<'_> {
    fn map_float<const D: usize>(&mut self, value: Tensor<D>) -> Tensor<D> {
        match self.0.next() {
            Some(context) => context.constant(value),
            None => value,
        }
    }
}

struct Leaves<'a>(std::slice::Iter<'a, Context>);

impl TensorMapper for Leaves<'_> {
    fn map_float<const D: usize>(&mut self, value: Tensor<D>) -> Tensor<D> {
        match self.0.next() {
            Some(context) => context.leaf(value),
            None => value,
        }
    }
}

pub(super) struct CollectParents<'a>(pub(super) &'a mut Parents);

impl TensorVisitor for CollectParents<'_> {
    fn visit_float<const D: usize>(&mut self, tensor: &Tensor<D>) {
        self.0.add(tensor);
    }
}

pub(super) struct TakeGradients<'a, 'b>(pub(super) &'a mut Taken<'b>);

impl TensorVisitor for TakeGradients<'_, '_> {
    fn visit_float<const D: usize>(&mut self, leaf: &Tensor<D>) {
        self.0.take(leaf);
    }
}
