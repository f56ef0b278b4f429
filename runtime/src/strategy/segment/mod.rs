//! A part of the forward pass that runs again in the backward pass: what strategies share.
//!
//! A segment runs one module or several of one type. Parents and gradients are listed in one order:
//! the tracked tensors of the inputs, then the tracked parameters of the modules, as they are
//! visited, each once.

mod context;
mod expected;
mod fingerprint;
mod inputs;
mod leaves;
mod module;
mod options;
mod outputs;
mod rerun;

pub(super) use context::Context;
pub(super) use expected::compares_values;
pub(super) use inputs::{KeptInputs, share, tracked};
pub(super) use options::{Label, Options};
pub(super) use outputs::{FloatOutput, Ports, has_gradient};
pub(super) use rerun::{Again, Run, Segment, run as run_untracked};

use leaves::Leaves;
use module::{Snapshot, untracked};
use outputs::{Seeds, first_tracked};

use crate::tape::{Parent, ParentGradients, ParentId, Vjp};
use crate::tree::TensorTree;
use burn::module::Module;
use burn::tensor::{Device, Gradients, Tensor};
use std::collections::HashSet;

/// Everything of the caller's graph that the segment depends on.
struct Parents {
    nodes: Vec<Parent>,
    seen: HashSet<ParentId>,
    /// Where the segment computes: the device of the first tensor on an autodiff device.
    device: Option<Device>,
}

impl Parents {
    fn of<M: Module, I: TensorTree>(modules: &[M], inputs: &I) -> Self {
        let mut parents = Self {
            nodes: Vec::new(),
            seen: HashSet::new(),
            device: None,
        };
        inputs.visit_tensors(&mut inputs::CollectParents(&mut parents));
        for module in modules {
            module.visit(&mut module::CollectParents(&mut parents));
        }
        parents
    }

    /// The device, unless all of it is inference.
    fn device(&self) -> Option<&Device> {
        self.device.as_ref()
    }

    fn add<const D: usize>(&mut self, tensor: &Tensor<D>) {
        if self.device.is_none() && tensor.is_autodiff() {
            self.device = Some(tensor.device());
        }
        let parent = Parent::of(tensor).filter(|parent| self.seen.insert(parent.id()));
        self.nodes.extend(parent);
    }
}

/// What is done with each of a segment's fresh leaves, in the order of the segment's parents.
trait EachLeaf {
    /// `index` is that of the parent which the leaf stands for.
    fn leaf<const D: usize>(&mut self, index: usize, leaf: &Tensor<D>);
}

/// Visits every leaf once.
fn visit_leaves<M: Module, I: TensorTree>(inputs: &I, modules: &[M], each: &mut impl EachLeaf) {
    let mut leaves = VisitLeaves {
        each,
        next: 0,
        seen: HashSet::new(),
    };
    inputs.visit_tensors(&mut leaves);
    for module in modules {
        module.visit(&mut leaves);
    }
}

struct VisitLeaves<'a, E> {
    each: &'a mut E,
    next: usize,
    seen: HashSet<ParentId>,
}

impl<E: EachLeaf> VisitLeaves<'_, E> {
    fn visit<const D: usize>(&mut self, leaf: &Tensor<D>) {
        let new = Parent::of(leaf).is_some_and(|leaf| self.seen.insert(leaf.id()));
        if new {
            self.each.leaf(self.next, leaf);
            self.next += 1;
        }
    }
}

/// Starts the gradients of leaves from what their parents have by now, so that they are summed in burn's order.
struct Start<'a> {
    vjp: &'a mut Vjp,
    parents: &'a mut ParentGradients,
}

impl EachLeaf for Start<'_> {
    fn leaf<const D: usize>(&mut self, index: usize, leaf: &Tensor<D>) {
        if let Some(gradient) = self.parents.take_accumulated::<D>(index) {
            self.vjp.seed(leaf, gradient);
        }
    }
}

/// Moves the gradients of leaves to their parents.
struct HandOver<'a> {
    leaves: &'a Leaves,
    grads: Gradients,
    parents: &'a mut ParentGradients,
}

impl EachLeaf for HandOver<'_> {
    fn leaf<const D: usize>(&mut self, index: usize, leaf: &Tensor<D>) {
        let leaf = self.leaves.leaf(leaf);
        if let Some(gradient) = leaf.grad_remove(&mut self.grads) {
            self.parents.set(index, gradient);
        }
    }
}
