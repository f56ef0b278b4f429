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
pub struct ParentGradients {
    pub(super) found: Vec<Option<DispatchTensor>>,
    pub(super) accumulated: Vec<Option<DispatchTensor>>,
}

impl ParentGradients {
    pub(super) fn new(accumulated: Vec<Option<DispatchTensor>>) -> Self {
        Self {
            found: accumulated.iter().map(|_| None).collect(),
            accumulated,
        }
    }

    /// Sets the gradient of parent `index`: same shape as the parent, autodiff is dropped. It is added to what
    /// the parent's other consumers have sent.
    ///
    /// A leaf without a gradient stays without one; another parent without one gets zeros, since
    /// burn runs its backward step in any case.
    ///
    /// # Panics
    ///
    /// If there is no such parent.
    pub fn set<const D: usize>(&mut self, index: usize, gradient: Tensor<D>) {
        self.found[index] = Some(gradient.inner().into_dispatch());
    }

    /// Takes the gradient that other consumers of parent `index` have sent so far: what is
    /// [`set`](Self::set) for that parent must then include it.
    ///
    /// A pullback that adds up several gradients for the parent starts from it, so that the sum rounds as burn's
    /// would: burn adds one gradient after the other.
    ///
    /// `None` if there is none, or it cannot be known: for leaves, parents of one element, and nodes of more
    /// than 16 parents.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::tape::{self, Parent};
    ///
    /// let device = Device::flex().autodiff();
    /// let leaf = Tensor::<1>::from_floats([1.0, 2.0], &device).require_grad();
    /// let x = leaf.clone() * 1.0;
    /// let mut node = tape::record(Vec::from_iter(Parent::of(&x)), |mut outputs, parents| {
    ///     let sum = parents.take_accumulated::<1>(0);
    ///     if let Some(gradient) = outputs.take::<1>(0) {
    ///         parents.set(0, match sum {
    ///             Some(sum) => gradient + sum,
    ///             None => gradient,
    ///         });
    ///     }
    /// });
    /// let y = node.output(x.clone().inner());
    ///
    /// let grads = (x + y * 3.0).sum().backward();
    /// assert_eq!(leaf.grad(&grads).unwrap().to_data().try_to_vec::<f32>().unwrap(), [4.0, 4.0]);
    /// ```
    pub fn take_accumulated<const D: usize>(&mut self, index: usize) -> Option<Tensor<D>> {
        let slot = self.accumulated.get_mut(index)?;
        slot.take().map(Tensor::from_dispatch)
    }

    pub(super) fn set_all(&mut self, gradients: Vec<DispatchTensor>) {
        self.found = gradients.into_iter().map(Some).collect();
    }
}
