//! What a pullback is given and what it gives.

use burn::backend::DispatchTensor;
use burn::tensor::Tensor;

/// The gradients that reached the outputs of a recorded node, by the order of the outputs.
pub struct Cotangents(pub(super) Vec<Option<DispatchTensor>>);

impl Cotangents {
    /// Takes the gradient of output `index`: same shape and dtype as the output, without autodiff.
    ///
    /// `None` if the loss does not depend on that output (or the gradient was taken before).
    pub fn take<const D: usize>(&mut self, index: usize) -> Option<Tensor<D>> {
        let slot = self.0.get_mut(index)?;
        slot.take().map(Tensor::from_dispatch)
    }
}

/// The gradients a pullback found for the parents of its node, by the order of the parents.
pub struct ParentGradients(pub(super) Vec<Option<DispatchTensor>>);

impl ParentGradients {
    pub(super) fn new(parents: usize) -> Self {
        Self((0..parents).map(|_| None).collect())
    }

    /// Sets the gradient of parent `index`: same shape as the parent, autodiff is dropped.
    ///
    /// A leaf without a gradient stays without one; another parent without one gets zeros, since
    /// burn runs its backward step in any case.
    ///
    /// # Panics
    ///
    /// If there is no such parent.
    pub fn set<const D: usize>(&mut self, index: usize, gradient: Tensor<D>) {
        self.0[index] = Some(gradient.inner().into_dispatch());
    }

    pub(super) fn set_all(&mut self, gradients: Vec<DispatchTensor>) {
        self.0 = gradients.into_iter().map(Some).collect();
    }
}
