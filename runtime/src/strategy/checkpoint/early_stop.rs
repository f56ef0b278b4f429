//! Early stop: the second run leaves out what the backward pass does not need.

use super::super::Layer;
use super::super::segment::compares_values;
use super::options::Checkpoint;
use super::rerun::run;
use super::sequence::{CheckpointSequence, Pass, Sequence};
use crate::tree::TensorTree;

/// [`checkpoint_with`](crate::checkpoint_with) whose second run is another function, `again`: it must
/// give the same graph as `forward`, but the values of its outputs are not looked at. So the last
/// layer of a segment, if its output is only added to others and returned, can be a
/// [`tail`](crate::tail()), which is not computed.
///
/// `#[checkpoint(early_stop)]` on a field writes this call; `#[remat(tail)]` on a field of the layer's own
/// struct writes its `forward_without_tail`.
///
/// Where the outputs' values are compared (debug builds, or `REMAT_CHECK=1`), the second run is
/// `forward`.
///
/// ```
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::{Device, Tensor};
/// use remat::Checkpoint;
///
/// let device = Device::flex().autodiff();
/// let linear = LinearConfig::new(4, 4).init(&device);
/// let x = Tensor::<2>::ones([1, 4], &device).require_grad();
///
/// let y = remat::checkpoint_early_stop(
///     Checkpoint::new(),
///     &linear,
///     (x.clone(),),
///     |linear: &Linear, (x,): (Tensor<2>,)| x.clone() + linear.forward(x.tanh()),
///     |linear, (x,)| remat::returned(x.clone() + remat::tail(linear, x.tanh())),
/// );
/// assert!(x.grad(&y.sum().backward()).is_some());
/// ```
///
/// # Panics
///
/// As [`checkpoint`](crate::checkpoint()), and if the options say [`autocast`](Checkpoint::autocast).
pub fn checkpoint_early_stop<M, I, O>(
    options: Checkpoint,
    module: &M,
    inputs: I,
    forward: fn(&M, I) -> O,
    again: fn(&M, I) -> O,
) -> O
where
    M: Layer,
    I: TensorTree + Send + 'static,
    O: TensorTree + 'static,
{
    if options.0.casting().is_some() {
        options.0.label::<M>().fail(format_args!(
            "early stop has no precision of its own: call `remat::autocast` inside, in both functions"
        ));
    }
    run(
        options,
        std::slice::from_ref(module),
        inputs,
        move |modules, inputs| forward(&modules[0], inputs),
        move |modules, inputs| unless_checked(forward, again)(&modules[0], inputs),
    )
}

/// [`checkpoint_sequence_with`](crate::checkpoint_sequence_with) whose last layer of a segment is run
/// again by another function, as [`checkpoint_early_stop`] says.
///
/// ```
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::{Device, Tensor};
/// use remat::{Checkpoint, Segments};
///
/// let device = Device::flex().autodiff();
/// let layers: Vec<Linear> = (0..4).map(|_| LinearConfig::new(4, 4).init(&device)).collect();
/// let x = Tensor::<2>::ones([1, 4], &device).require_grad();
///
/// let y = remat::checkpoint_sequence_early_stop(
///     Checkpoint::new().segments(Segments::every(2)),
///     &layers,
///     x.clone(),
///     (),
///     |_, layer: &Linear, x: Tensor<2>, ()| x.clone() + layer.forward(x.tanh()),
///     |_, layer, x, ()| remat::returned(x.clone() + remat::tail(layer, x.tanh())),
/// );
/// assert!(x.grad(&y.sum().backward()).is_some());
/// ```
///
/// # Panics
///
/// As [`checkpoint_sequence`](crate::checkpoint_sequence).
#[allow(
    clippy::needless_pass_by_value,
    reason = "a tuple made for the call, as `carried` is"
)]
pub fn checkpoint_sequence_early_stop<M, C, S>(
    options: CheckpointSequence,
    layers: &[M],
    carried: C,
    shared: S,
    forward: fn(usize, &M, C, S) -> C,
    last_again: fn(usize, &M, C, S) -> C,
) -> C
where
    M: Layer,
    C: TensorTree + Send + 'static,
    S: TensorTree + Send + 'static,
{
    let sequence = Sequence {
        options,
        start: 0,
        step: forward,
        last_again: unless_checked(forward, last_again),
    };
    sequence.run(layers, carried, &shared, Pass::Forward)
}

/// A comparison of the outputs' values needs them.
fn unless_checked<F>(forward: F, again: F) -> F {
    if compares_values() { forward } else { again }
}
