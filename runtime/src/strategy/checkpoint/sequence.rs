//! Groups of consecutive layers as segments.

use super::super::Layer;
use super::super::off::strategies_are_off;
use super::super::segment::share;
use super::options::Checkpoint;
use super::rerun::run;
use super::segments::Segments;
use crate::tree::TensorTree;

/// Runs the layers one after the other, `x = forward(layer, x)`, cut into [`Segments`]: each keeps its
/// input only and runs again, as one, in the backward pass.
///
/// Annotate a `Vec` or array of layers with `#[checkpoint(every = k)]`, `#[checkpoint(segments = k)]`,
/// `#[checkpoint(sqrt)]` or `#[checkpoint(recursive)]` to have the call written for you. All that
/// [`checkpoint`](crate::checkpoint()) says holds for a segment.
///
/// ```
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::{Device, Tensor};
/// use remat::Segments;
///
/// let device = Device::flex().autodiff();
/// let layers: Vec<Linear> = (0..9).map(|_| LinearConfig::new(4, 4).init(&device)).collect();
/// let x = Tensor::<2>::ones([1, 4], &device);
///
/// let y = remat::checkpoint_sequence(&layers, Segments::sqrt(), x, |layer, x| {
///     layer.forward(x).tanh()
/// });
/// let grads = y.sum().backward();
/// assert!(layers[0].weight.val().grad(&grads).is_some());
/// ```
///
/// # Panics
///
/// As [`checkpoint`](crate::checkpoint()), and if there are fewer layers than segments.
pub fn checkpoint_sequence<M, I>(
    layers: &[M],
    segments: Segments,
    x: I,
    forward: fn(&M, I) -> I,
) -> I
where
    M: Layer,
    I: TensorTree + Send + 'static,
{
    let step = move |_, layer: &M, x, ()| forward(layer, x);
    let sequence = Sequence {
        options: Checkpoint::new().segments(segments),
        start: 0,
        step,
        last_again: step,
    };
    sequence.run(layers, x, &(), Pass::Forward)
}

/// [`checkpoint_sequence`] with options, for layers that take more than what they carry on:
/// `carried = forward(index, layer, carried, shared)`, where `shared` is the same for every layer (a
/// mask, an encoder's output) and gets the sum of their gradients. Each layer gets a copy of it: what a
/// layer changes in there (a `Cell`) the next does not see.
///
/// ```
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::{Device, Tensor};
/// use remat::{Checkpoint, Segments};
///
/// let device = Device::flex().autodiff();
/// let layers: Vec<Linear> = (0..4).map(|_| LinearConfig::new(4, 4).init(&device)).collect();
/// let x = Tensor::<2>::ones([1, 4], &device);
/// let condition = Tensor::<2>::ones([1, 4], &device).require_grad();
///
/// let options = Checkpoint::named("Stack.layers").segments(Segments::every(2).keep_last());
/// let shared = (condition.clone(),);
/// let y = remat::checkpoint_sequence_with(options, &layers, x, shared, |index, layer, x, (c,)| {
///     layer.forward(x + c.mul_scalar(index as f32)).tanh()
/// });
/// assert!(condition.grad(&y.sum().backward()).is_some());
/// ```
///
/// # Panics
///
/// As [`checkpoint_sequence`].
#[allow(
    clippy::needless_pass_by_value,
    reason = "a tuple made for the call, as `carried` is"
)]
pub fn checkpoint_sequence_with<M, C, S>(
    options: CheckpointSequence,
    layers: &[M],
    carried: C,
    shared: S,
    forward: fn(usize, &M, C, S) -> C,
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
        last_again: forward,
    };
    sequence.run(layers, carried, &shared, Pass::Forward)
}

/// Options of [`checkpoint_sequence_with`]; made by [`Checkpoint::segments`].
///
/// ```
/// use remat::{Checkpoint, CheckpointSequence, Segments};
///
/// const LAYERS: CheckpointSequence = Checkpoint::named("Stack.layers").segments(Segments::every(4));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CheckpointSequence {
    each: Checkpoint,
    segments: Segments,
}

impl Checkpoint {
    /// These options for every segment of a sequence of layers.
    ///
    /// # Panics
    ///
    /// If they say [`autocast`](Checkpoint::autocast): when compiling, in a constant.
    #[must_use]
    pub const fn segments(self, segments: Segments) -> CheckpointSequence {
        assert!(
            self.0.casting().is_none(),
            "remat: what is done with the layers of a sequence is more than their forward passes: call \
             `remat::autocast` inside"
        );
        CheckpointSequence {
            each: self,
            segments,
        }
    }
}

/// What is done with one layer: its index, the layer, what is carried on, what is shared.
pub(super) trait Step<M, C, S>: Fn(usize, &M, C, S) -> C + Copy + Send + 'static {}

impl<M, C, S, F: Fn(usize, &M, C, S) -> C + Copy + Send + 'static> Step<M, C, S> for F {}

/// Which run of a segment it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    Forward,
    /// In the backward pass.
    Again,
}

/// Consecutive layers, the first of which has the index `start`.
#[derive(Clone, Copy)]
pub(super) struct Sequence<F, L> {
    pub(super) options: CheckpointSequence,
    pub(super) start: usize,
    pub(super) step: F,
    /// The step of a segment's last layer when it runs again: it may leave out what only the
    /// output's value needs.
    pub(super) last_again: L,
}

impl<F, L> Sequence<F, L> {
    pub(super) fn run<M, C, S>(self, layers: &[M], carried: C, shared: &S, pass: Pass) -> C
    where
        M: Layer,
        C: TensorTree + Send + 'static,
        S: TensorTree + Send + 'static,
        F: Step<M, C, S>,
        L: Step<M, C, S>,
    {
        if strategies_are_off() {
            return self.run_plain(layers, carried, shared, pass);
        }
        let CheckpointSequence { each, segments } = self.options;
        let sizes = segments.sizes(layers.len());
        let sizes = sizes.unwrap_or_else(|error| each.0.label::<M>().fail(format_args!("{error}")));
        let (mut carried, mut rest, mut part) = (carried, layers, self);
        for (index, &size) in sizes.iter().enumerate() {
            let (segment, others) = rest.split_at(size);
            let kept = segments.keeps_last() && index > 0 && others.is_empty();
            carried = if kept {
                part.run_plain(segment, carried, shared, pass)
            } else {
                part.run_segment(segment, carried, shared)
            };
            part.start += size;
            rest = others;
        }
        carried
    }

    fn run_segment<M, C, S>(self, layers: &[M], carried: C, shared: &S) -> C
    where
        M: Layer,
        C: TensorTree + Send + 'static,
        S: TensorTree + Send + 'static,
        F: Step<M, C, S>,
        L: Step<M, C, S>,
    {
        let body = move |pass| {
            move |layers: &[M], (carried, shared): (C, S)| {
                self.run_inside(layers, carried, &shared, pass)
            }
        };
        let inputs = (carried, share(shared));
        run(
            self.options.each,
            layers,
            inputs,
            body(Pass::Forward),
            body(Pass::Again),
        )
    }

    /// A segment from inside.
    fn run_inside<M, C, S>(self, layers: &[M], carried: C, shared: &S, pass: Pass) -> C
    where
        M: Layer,
        C: TensorTree + Send + 'static,
        S: TensorTree + Send + 'static,
        F: Step<M, C, S>,
        L: Step<M, C, S>,
    {
        match self.options.segments.inside() {
            Some(segments) if layers.len() > 1 => {
                let options = self.options.each.segments(segments);
                Self { options, ..self }.run(layers, carried, shared, pass)
            }
            _ => self.run_plain(layers, carried, shared, pass),
        }
    }

    fn run_plain<M, C, S>(self, layers: &[M], carried: C, shared: &S, pass: Pass) -> C
    where
        S: TensorTree,
        F: Step<M, C, S>,
        L: Step<M, C, S>,
    {
        let count = layers.len();
        let layers = layers.iter().enumerate();
        layers.fold(carried, |carried, (index, layer)| {
            let place = self.start + index;
            if pass == Pass::Again && index + 1 == count {
                (self.last_again)(place, layer, carried, share(shared))
            } else {
                (self.step)(place, layer, carried, share(shared))
            }
        })
    }
}
