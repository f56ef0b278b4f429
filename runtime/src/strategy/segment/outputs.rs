//! The outputs of a segment, in the caller's graph and in the segment's own.

use crate::tape::{Cotangents, Node, Vjp};
use crate::tree::{TensorMapper, TensorTree, TensorVisitor};
use burn::backend::DispatchTensor;
use burn::tensor::Tensor;

/// Makes every float output an output of the recorded node.
pub(in super::super) struct Ports<'a>(pub(in super::super) &'a mut Node);

impl TensorMapper for Ports<'_> {
    fn map_float<const D: usize>(&mut self, value: Tensor<D>) -> Tensor<D> {
        if has_gradient(&value) {
            self.0.output(value)
        } else {
            value
        }
    }
}

/// Not an output that the segment took off the autodiff device, nor a packed one.
pub(in super::super) fn has_gradient<const D: usize>(output: &Tensor<D>) -> bool {
    output.is_autodiff() && output.dtype().is_float()
}

/// Starts the segment's backward pass from the gradients that reached its outputs.
pub(super) struct Seeds {
    cotangents: Cotangents,
    vjp: Vjp,
    next: usize,
}

impl Seeds {
    pub(super) fn plant<O: TensorTree>(cotangents: Cotangents, outputs: &O) -> Vjp {
        let mut seeds = Self {
            cotangents,
            vjp: Vjp::new(),
            next: 0,
        };
        outputs.visit_tensors(&mut seeds);
        seeds.vjp
    }
}

impl TensorVisitor for Seeds {
    fn visit_float<const D: usize>(&mut self, output: &Tensor<D>) {
        if !has_gradient(output) {
            return;
        }
        if let Some(cotangent) = self.cotangents.take(self.next) {
            self.vjp.seed(output, cotangent);
        }
        self.next += 1;
    }
}

/// The index of the first output that still hangs on some graph, if any.
///
/// Inputs and parameters were untracked, so such an output depends on a tensor that came in some
/// other way, and its gradient would be lost.
pub(super) fn first_tracked<O: TensorTree>(outputs: &O) -> Option<usize> {
    let mut find = FindTracked {
        next: 0,
        found: None,
    };
    outputs.visit_tensors(&mut find);
    find.found
}

struct FindTracked {
    next: usize,
    found: Option<usize>,
}

impl TensorVisitor for FindTracked {
    fn visit_float<const D: usize>(&mut self, output: &Tensor<D>) {
        if output.is_tracked() {
            self.found.get_or_insert(self.next);
        }
        self.next += 1;
    }
}

/// Looks for the value of the output with that index among those with a gradient.
pub(in super::super) struct FloatOutput {
    index: usize,
    found: Option<DispatchTensor>,
}

impl FloatOutput {
    pub(in super::super) fn of<O: TensorTree>(outputs: &O, index: usize) -> Option<DispatchTensor> {
        let mut search = Self { index, found: None };
        outputs.visit_tensors(&mut search);
        search.found
    }
}

impl TensorVisitor for FloatOutput {
    fn visit_float<const D: usize>(&mut self, output: &Tensor<D>) {
        if !has_gradient(output) || self.found.is_some() {
            return;
        }
        if self.index == 0 {
            self.found = Some(output.clone().inner().into_dispatch());
        } else {
            self.index -= 1;
        }
    }
}
