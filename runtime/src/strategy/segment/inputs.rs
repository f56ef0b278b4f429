//! The inputs of a segment, kept until the backward pass.

use super::super::compression::{Compressed, Quantize};
use super::context::Context;
use super::leaves::Leaves;
use super::{EachLeaf, Parents, VisitLeaves};
use crate::tape::Values;
use crate::tree::{TensorMapper, TensorTree, TensorVisitor};
use burn::backend::DispatchTensor;
use burn::tensor::{Bool, Device, Int, Tensor};

/// Inputs without their graph.
pub(in super::super) struct KeptInputs<I> {
    values: I,
    /// Of each tensor, in the order of a visit.
    contexts: Vec<Context>,
    /// The values of float tensors, where they are compressed; empty if none is.
    compressed: Vec<Option<Compressed>>,
}

impl<I: TensorTree> KeptInputs<I> {
    pub(in super::super) fn of(inputs: &I) -> Self {
        let mut keep = Keep(Vec::new());
        let values = inputs.map_tensors(&mut keep);
        Self {
            values,
            contexts: keep.0,
            compressed: Vec::new(),
        }
    }

    /// The inputs as constants of the caller's device.
    pub(in super::super) fn constants(&self) -> I {
        self.values
            .map_tensors(&mut Constants(self.contexts.iter()))
    }

    /// The inputs on a graph of their own, with leaves for the tracked ones.
    pub(super) fn fork(&self, leaves: &mut Leaves) -> I {
        let contexts = self.contexts.iter();
        self.values.map_tensors(&mut Fork { contexts, leaves })
    }
}

impl<I: TensorTree> KeptInputs<I> {
    /// Keeps compressed values of tracked tensors.
    pub(super) fn compress(&mut self, compression: Quantize, device: &Device) {
        let mut compress = Compress {
            contexts: self.contexts.iter(),
            compression,
            device,
            compressed: Vec::new(),
        };
        self.values = self.values.map_tensors(&mut compress);
        self.compressed = compress.compressed;
    }

    /// The values themselves again, where they were compressed.
    pub(super) fn decompress(&mut self) {
        let compressed = std::mem::take(&mut self.compressed);
        if compressed.iter().any(Option::is_some) {
            let mut decompress = Decompress(compressed.into_iter());
            self.values = self.values.map_tensors(&mut decompress);
        }
    }

    /// Lets go of the values of tracked tensors.
    pub(in super::super) fn forget(&mut self) {
        let contexts = self.contexts.iter();
        self.values = self.values.map_tensors(&mut Forget(contexts));
    }

    /// Puts the values of tracked tensors back, in their order.
    pub(in super::super) fn remember(&mut self, values: Values) {
        let contexts = self.contexts.iter();
        let mut remember = Remember {
            contexts,
            values,
            next: 0,
        };
        self.values = self.values.map_tensors(&mut remember);
    }
}

struct Compress<'a> {
    contexts: std::slice::Iter<'a, Context>,
    compression: Quantize,
    device: &'a Device,
    compressed: Vec<Option<Compressed>>,
}

impl TensorMapper for Compress<'_> {
    fn map_float<const D: usize>(&mut self, value: Tensor<D>) -> Tensor<D> {
        let (compression, device) = (self.compression, self.device);
        let compressed = next(&mut self.contexts, None, |context, _| {
            compression.value(context.id()?, &value, device)
        });
        let value = match &compressed {
            Some(_) => nothing(&value),
            None => value,
        };
        self.compressed.push(compressed);
        value
    }

    fn map_int<const D: usize>(&mut self, value: Tensor<D, Int>) -> Tensor<D, Int> {
        next(&mut self.contexts, value, |_, value| value)
    }

    fn map_bool<const D: usize>(&mut self, value: Tensor<D, Bool>) -> Tensor<D, Bool> {
        next(&mut self.contexts, value, |_, value| value)
    }
}

struct Decompress(std::vec::IntoIter<Option<Compressed>>);

impl TensorMapper for Decompress {
    fn map_float<const D: usize>(&mut self, value: Tensor<D>) -> Tensor<D> {
        let compressed = self.0.next().flatten();
        compressed.map_or(value, |compressed| compressed.restore())
    }
}

/// In the place of a value that is not kept.
fn nothing<const D: usize>(value: &Tensor<D>) -> Tensor<D> {
    Tensor::empty([0; D], (&value.device(), value.dtype()))
}

/// The tracked tensors among inputs, in their order.
pub(in super::super) fn tracked<I: TensorTree>(inputs: &I) -> Vec<DispatchTensor> {
    let mut collect = CollectTracked(Vec::new());
    inputs.visit_tensors(&mut collect);
    collect.0
}

struct CollectTracked(Vec<DispatchTensor>);

impl TensorVisitor for CollectTracked {
    fn visit_float<const D: usize>(&mut self, tensor: &Tensor<D>) {
        if tensor.is_tracked() {
            self.0.push(tensor.clone().into_dispatch());
        }
    }
}

struct Forget<'a>(std::slice::Iter<'a, Context>);

impl TensorMapper for Forget<'_> {
    fn map_float<const D: usize>(&mut self, value: Tensor<D>) -> Tensor<D> {
        next(&mut self.0, value, |context, value| match context.id() {
            Some(_) => nothing(&value),
            None => value,
        })
    }

    fn map_int<const D: usize>(&mut self, value: Tensor<D, Int>) -> Tensor<D, Int> {
        next(&mut self.0, value, |_, value| value)
    }

    fn map_bool<const D: usize>(&mut self, value: Tensor<D, Bool>) -> Tensor<D, Bool> {
        next(&mut self.0, value, |_, value| value)
    }
}

struct Remember<'a> {
    contexts: std::slice::Iter<'a, Context>,
    values: Values,
    next: usize,
}

impl TensorMapper for Remember<'_> {
    fn map_float<const D: usize>(&mut self, forgotten: Tensor<D>) -> Tensor<D> {
        let (values, index) = (&mut self.values, &mut self.next);
        next(&mut self.contexts, forgotten, |context, forgotten| {
            if context.id().is_none() {
                return forgotten;
            }
            *index += 1;
            values.take(*index - 1).unwrap_or(forgotten)
        })
    }

    fn map_int<const D: usize>(&mut self, value: Tensor<D, Int>) -> Tensor<D, Int> {
        next(&mut self.contexts, value, |_, value| value)
    }

    fn map_bool<const D: usize>(&mut self, value: Tensor<D, Bool>) -> Tensor<D, Bool> {
        next(&mut self.contexts, value, |_, value| value)
    }
}

/// The same tensors once more.
pub(in super::super) fn share<I: TensorTree>(inputs: &I) -> I {
    inputs.map_tensors(&mut Share)
}

struct Share;

impl TensorMapper for Share {}

struct Keep(Vec<Context>);

impl TensorMapper for Keep {
    fn map_float<const D: usize>(&mut self, tensor: Tensor<D>) -> Tensor<D> {
        self.0.push(Context::of_float(&tensor));
        tensor.inner()
    }

    fn map_int<const D: usize>(&mut self, tensor: Tensor<D, Int>) -> Tensor<D, Int> {
        self.0.push(Context::of(&tensor));
        tensor.inner()
    }

    fn map_bool<const D: usize>(&mut self, tensor: Tensor<D, Bool>) -> Tensor<D, Bool> {
        self.0.push(Context::of(&tensor));
        tensor.inner()
    }
}

/// `f` of the next context and the value. Both passes over the values are of one tree, so none is
/// missing.
fn next<T>(
    contexts: &mut std::slice::Iter<'_, Context>,
    value: T,
    f: impl FnOnce(Context, T) -> T,
) -> T {
    match contexts.next() {
        Some(&context) => f(context, value),
        None => value,
    }
}

struct Constants<'a>(std::slice::Iter<'a, Context>);

impl TensorMapper for Constants<'_> {
    fn map_float<const D: usize>(&mut self, value: Tensor<D>) -> Tensor<D> {
        next(&mut self.0, value, Context::constant)
    }

    fn map_int<const D: usize>(&mut self, value: Tensor<D, Int>) -> Tensor<D, Int> {
        next(&mut self.0, value, Context::constant)
    }

    fn map_bool<const D: usize>(&mut self, value: Tensor<D, Bool>) -> Tensor<D, Bool> {
        next(&mut self.0, value, Context::constant)
    }
}

struct Fork<'a> {
    contexts: std::slice::Iter<'a, Context>,
    leaves: &'a mut Leaves,
}

impl TensorMapper for Fork<'_> {
    fn map_float<const D: usize>(&mut self, value: Tensor<D>) -> Tensor<D> {
        let leaves = &mut *self.leaves;
        next(&mut self.contexts, value, |context, value| {
            leaves.place_input(context, value)
        })
    }

    fn map_int<const D: usize>(&mut self, value: Tensor<D, Int>) -> Tensor<D, Int> {
        next(&mut self.contexts, value, Context::inside)
    }

    fn map_bool<const D: usize>(&mut self, value: Tensor<D, Bool>) -> Tensor<D, Bool> {
        next(&mut self.contexts, value, Context::inside)
    }
}

pub(super) struct CollectParents<'a>(pub(super) &'a mut Parents);

impl TensorVisitor for CollectParents<'_> {
    fn visit_float<const D: usize>(&mut self, tensor: &Tensor<D>) {
        self.0.add(tensor);
    }
}

impl<E: EachLeaf> TensorVisitor for VisitLeaves<'_, E> {
    fn visit_float<const D: usize>(&mut self, leaf: &Tensor<D>) {
        self.visit(leaf);
    }
}
