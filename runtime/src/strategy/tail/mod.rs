//! `#[remat(tail)]`: a layer whose output nobody reads when it runs again.

mod has_tail;
mod linear;
mod not_computed;
mod pass;
mod product;
mod returned;

pub use has_tail::HasTail;
pub use not_computed::NotComputed;
pub use pass::{IgnoresValue, Passes, pass};
pub use returned::{Returned, returned};

use burn::tensor::Tensor;

/// A layer whose gradient does not need its output, so that a recomputation of which it is the end
/// can leave it out. Implemented for burn's `Linear`. A struct of your own that has a tail can be one
/// in turn, by its `forward_without_tail`; [`tape::record`](crate::tape::record) helps with others.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::{TailLayer, tape};
///
/// /// Multiplies by three, at great cost.
/// struct Triple;
///
/// impl TailLayer<Tensor<2>, 2> for Triple {
///     fn without_value(&self, x: Tensor<2>) -> Tensor<2> {
///         let parents = Vec::from_iter(tape::Parent::of(&x));
///         let mut node = tape::record(parents, |mut outputs, parents| {
///             if let Some(gradient) = outputs.take::<2>(0) {
///                 parents.set(0, gradient * 3.0);
///             }
///         });
///         node.output(x.full_like(f32::NAN))
///     }
/// }
///
/// let x = Tensor::<2>::ones([1, 2], &Device::flex().autodiff()).require_grad();
/// let y = remat::returned(remat::tail(&Triple, x.clone()));
/// let gradient = x.grad(&y.sum().backward()).unwrap();
/// assert_eq!(gradient.to_data().try_to_vec::<f32>().unwrap(), [3.0, 3.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tail: its output has to be computed for its gradient, or remat does not \
               know how to get the gradient without it",
    label = "not a tail layer",
    note = "remove `#[remat(tail)]` (burn's `Linear` can be a tail), or implement `remat::TailLayer`"
)]
pub trait TailLayer<I, const D: usize> {
    /// The same node as `forward` records: same shape and gradients. Its value is not computed:
    /// NaN is best, since it shows when it is read by mistake.
    fn without_value(&self, input: I) -> Tensor<D>;
}

/// The layer's output without its value, for the second run of a segment that ends with it: see
/// [`checkpoint_early_stop`](crate::checkpoint_early_stop).
///
/// `#[remat(tail)]` on the layer's field writes this call.
///
/// ```
/// use burn::{nn::LinearConfig, tensor::{Device, Tensor}};
///
/// let device = Device::flex().autodiff();
/// let linear = LinearConfig::new(4, 2).init(&device);
/// let x = Tensor::<2>::ones([3, 4], &device).require_grad();
///
/// let y = remat::tail(&linear, x.clone());
/// assert_eq!(y.dims(), [3, 2]);
/// let without = x.grad(&remat::returned(y).sum().backward()).unwrap();
/// let with = x.grad(&linear.forward(x.clone()).sum().backward()).unwrap();
/// assert_eq!(without.to_data(), with.to_data());
/// ```
pub fn tail<L: TailLayer<I, D>, I, const D: usize>(layer: &L, input: I) -> NotComputed<D> {
    NotComputed(layer.without_value(input))
}
