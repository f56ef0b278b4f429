//! Backward passes that start from gradients other than one.

use super::node::{Parent, record};
use burn::backend::DispatchTensor;
use burn::tensor::{Device, Gradients, Tensor};

/// A vector-Jacobian product: one backward pass from several outputs, each with the gradient
/// (cotangent) it starts from.
///
/// burn's `backward` starts from ones. Multiplying an output by its cotangent first would cost a
/// tensor and may overflow in half precision; here a scalar root hands each output its cotangent.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::tape::Vjp;
///
/// let device = Device::flex().autodiff();
/// let x = Tensor::<1>::from_floats([1.0, 2.0], &device).require_grad();
/// let y = x.clone() * x.clone();
///
/// let mut vjp = Vjp::new();
/// vjp.seed(&y, Tensor::from_floats([1.0, 10.0], &device));
/// let grads = vjp.backward().unwrap();
/// assert_eq!(x.grad(&grads).unwrap().to_data().try_to_vec::<f32>().unwrap(), [2.0, 40.0]);
/// ```
///
/// An output may also be a leaf: a parameter that starts from a gradient. The root runs before all else, so burn adds
/// what the pass finds into the given gradient, one tensor after the other, and frees each; nothing but the pass itself
/// holds the sum. That is how [`Accumulator`](crate::train::Accumulator) needs no second set of gradients.
///
/// ```
/// # use burn::tensor::{Device, Tensor};
/// # use remat::tape::Vjp;
/// # let device = Device::flex().autodiff();
/// let weight = Tensor::<1>::from_floats([1.0, 2.0], &device).require_grad();
/// let loss = (weight.clone() * 3.0).sum();
///
/// let mut vjp = Vjp::new();
/// vjp.seed(&loss, Tensor::ones([1], &device));
/// vjp.seed(&weight, Tensor::from_floats([10.0, 20.0], &device)); // of an earlier pass
/// let grads = vjp.backward().unwrap();
/// assert_eq!(weight.grad(&grads).unwrap().to_data().try_to_vec::<f32>().unwrap(), [13.0, 23.0]);
/// ```
#[derive(Default)]
pub struct Vjp {
    parents: Vec<Parent>,
    cotangents: Vec<DispatchTensor>,
    device: Option<Device>,
}

impl Vjp {
    /// A product of no outputs yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts the gradient of `output` from `cotangent` (same shape and dtype). An output that is
    /// not tracked is left out. The output's value is not held on to.
    pub fn seed<const D: usize>(&mut self, output: &Tensor<D>, cotangent: Tensor<D>) {
        if let Some(parent) = Parent::of(output) {
            let cotangent = cotangent.inner();
            self.device.get_or_insert_with(|| cotangent.device());
            self.parents.push(parent);
            self.cotangents.push(cotangent.into_dispatch());
        }
    }

    /// Runs the backward pass. `None` if no output was tracked.
    #[must_use]
    pub fn backward(self) -> Option<Gradients> {
        let device = self.device?;
        let cotangents = self.cotangents;
        let mut root = record(self.parents, move |_, parents| {
            parents.set_all(cotangents);
        });
        Some(root.output(Tensor::<1>::zeros([1], &device)).backward())
    }
}
