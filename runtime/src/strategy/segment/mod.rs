//! A part of the forward pass that runs again in the backward pass: what strategies share.
//!
//! Parents, gradients and contexts are all listed in one order: the tracked tensors of the inputs,
//! then the tracked parameters of the module, each as they are visited.

mod context;
mod inputs;
mod module;
mod outputs;

pub(super) use inputs::{KeptInputs, share};
pub(super) use module::{Snapshot, untracked};
pub(super) use outputs::{Ports, Seeds, first_tracked};

use crate::tape::{Parent, ParentGradients};
use crate::tree::TensorTree;
use burn::module::Module;
use burn::tensor::{Device, Gradients};

/// Everything of the caller's graph that the segment depends on.
pub(super) struct Parents {
    pub(super) nodes: Vec<Parent>,
    /// Where the segment computes: the device of the first tensor on an autodiff device.
    device: Option<Device>,
}

impl Parents {
    pub(super) fn of<M: Module, I: TensorTree>(module: &M, inputs: &I) -> Self {
        let mut parents = Self {
            nodes: Vec::new(),
            device: None,
        };
        inputs.visit_tensors(&mut inputs::CollectParents(&mut parents));
        module.visit(&mut module::CollectParents(&mut parents));
        parents
    }

    /// The device, unless all of it is inference.
    pub(super) fn device(&self) -> Option<&Device> {
        self.device.as_ref()
    }

    fn add<const D: usize>(&mut self, tensor: &burn::tensor::Tensor<D>) {
        if self.device.is_none() && tensor.is_autodiff() {
            self.device = Some(tensor.device());
        }
        self.nodes.extend(Parent::of(tensor));
    }
}

/// Moves the gradients of a segment's fresh leaves to the segment's parents.
pub(super) fn hand_over<M: Module, I: TensorTree>(
    inputs: &I,
    module: &M,
    mut grads: Gradients,
    parents: &mut ParentGradients,
) {
    let mut taken = Taken {
        grads: &mut grads,
        parents,
        next: 0,
    };
    inputs.visit_tensors(&mut inputs::TakeGradients(&mut taken));
    module.visit(&mut module::TakeGradients(&mut taken));
}

struct Taken<'a> {
    grads: &'a mut Gradients,
    parents: &'a mut ParentGradients,
    next: usize,
}

impl Taken<'_> {
    fn take<const D: usize>(&mut self, leaf: &burn::tensor::Tensor<D>) {
        if !leaf.is_require_grad() {
            return;
        }
        if let Some(gradient) = leaf.grad_remove(self.grads) {
            self.parents.set(self.next, gradient);
        }
        self.next += 1;
    }
}
