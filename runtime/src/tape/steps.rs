//! The three backward steps remat adds to burn's graph.
//!
//! ```text
//! parents ──► Join* ──► Core ──► Port (one per output) ──► whatever consumes the output
//! ```
//!
//! burn runs steps from the loss towards the leaves. Each port that the loss reaches leaves its
//! gradient in the shared record; the core, which lies below all ports, then runs the pullback
//! once. Joins only make room: a step's number of parents is part of its type in burn.

use super::backend::{Routed, Tracked, untracked};
use super::gradients::{Cotangents, ParentGradients};
use super::node::{Parent, Pullback};
use super::saved::{SavedAs, saved_port};
use burn::backend::autodiff::{
    checkpoint::{base::Checkpointer, strategy::NoCheckpointing},
    grads::Gradients,
    ops::{Backward, NodeGuard, Ops, OpsKind},
};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, DispatchTensor, TensorMetadata};
use burn::tensor::{FloatDType, GradientCheckpointingStrategy, Shape};
use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, PoisonError};

/// Parents a join or a core takes; free places are filled with untracked nodes, which burn
/// leaves out of the graph.
pub(super) const FAN_IN: usize = 16;

/// What the core and its ports share until the backward pass.
struct Record {
    pullback: Option<Pullback>,
    cotangents: Vec<Option<DispatchTensor>>,
    targets: Vec<Target>,
}

/// Where the gradient of one parent goes.
struct Target {
    id: burn::backend::autodiff::NodeId,
    /// Shape and dtype of a parent whose own backward step is in the graph: burn runs that step in
    /// any case and panics if it finds no gradient, so a missing one is registered as zeros.
    inner: Option<(Shape, FloatDType)>,
}

/// The record as a step's state: burn asks for `Clone` and `Debug`.
#[derive(Clone)]
pub(super) struct Shared(Arc<Mutex<Record>>);

impl Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Record")
    }
}

impl Shared {
    /// The gradient of an output has come.
    pub(super) fn arrive(&self, index: usize, cotangent: DispatchTensor) {
        self.with(|record| record.cotangents[index] = Some(cotangent));
    }

    /// The place of the next output.
    fn next(&self) -> usize {
        self.with(|record| {
            record.cotangents.push(None);
            record.cotangents.len() - 1
        })
    }

    fn with<R>(&self, f: impl FnOnce(&mut Record) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(Debug)]
struct Join;

impl<B: Backend> Backward<B, FAN_IN> for Join {
    type State = ();

    fn backward(self, _: Ops<(), FAN_IN>, _: &mut Gradients, _: &mut Checkpointer) {}
}

#[derive(Debug)]
struct Core;

impl<B: Routed> Backward<B, FAN_IN> for Core {
    type State = Shared;

    fn backward(self, ops: Ops<Shared, FAN_IN>, grads: &mut Gradients, _: &mut Checkpointer) {
        let (pullback, cotangents, targets) = ops.state.with(|record| {
            (
                record.pullback.take(),
                std::mem::take(&mut record.cotangents),
                std::mem::take(&mut record.targets),
            )
        });
        let first = cotangents.iter().flatten().next();
        let (Some(pullback), Some(first)) = (pullback, first) else {
            return;
        };
        let device = B::plain(first.clone()).device();
        // Behind joins the parents are not known.
        let joined = targets.len() > FAN_IN;
        let parents = ops
            .parents
            .iter()
            .map(|parent| parent.as_ref().filter(|_| !joined));
        let accumulated = targets.iter().zip(parents.chain(std::iter::repeat(None)));
        let accumulated = accumulated.map(|(target, parent)| {
            let (parent, probe) = (parent?, target.probe::<B>(&device)?);
            grads.register::<B>(parent.id, probe);
            target.probed::<B>(grads.consume::<B>(parent))
        });
        let mut gradients = ParentGradients::new(accumulated.collect());
        pullback(Cotangents(cotangents), &mut gradients);
        let ParentGradients { found, accumulated } = gradients;
        for ((target, gradient), before) in targets.into_iter().zip(found).zip(accumulated) {
            target.register::<B>(before, gradient, &device, grads);
        }
    }
}

impl Target {
    /// burn gives the gradient of a node to whoever knows that there is one, and panics otherwise. So one is registered
    /// that changes nothing and can be told apart: a negative zero (which keeps the sign of zeros) of one element.
    ///
    /// `None` for leaves, whose gradient cannot be taken.
    fn probe<B: Routed>(&self, device: &B::Device) -> Option<FloatTensor<B>> {
        let (shape, dtype) = self.inner.as_ref()?;
        let one = Shape::from(vec![1; shape.num_dims()]);
        (*shape != one).then(|| B::float_full(one, (-0.0f32).into(), device, *dtype))
    }

    /// The gradient that the probe was added to, if there was one.
    fn probed<B: Routed>(&self, sum: FloatTensor<B>) -> Option<DispatchTensor> {
        let (shape, _) = self.inner.as_ref()?;
        (sum.shape() == *shape).then(|| B::wrap_plain(sum))
    }

    /// Gives the parent back what was taken of its gradient and not used, and what was found.
    fn register<B: Routed>(
        self,
        before: Option<DispatchTensor>,
        gradient: Option<DispatchTensor>,
        device: &B::Device,
        grads: &mut Gradients,
    ) {
        let missing = before.is_none() && gradient.is_none();
        for gradient in before.into_iter().chain(gradient) {
            grads.register::<B>(self.id, B::plain(gradient));
        }
        if let Some((shape, dtype)) = self.inner.filter(|_| missing) {
            grads.register::<B>(self.id, B::float_zeros(shape, device, dtype));
        }
    }
}

#[derive(Debug)]
struct Port;

impl<B: Routed> Backward<B, 1> for Port {
    type State = (Shared, usize);

    fn backward(self, ops: Ops<(Shared, usize), 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        let (shared, index) = ops.state;
        let cotangent = B::wrap_plain(grads.consume::<B>(&ops.node));
        shared.arrive(index, cotangent);
    }
}

/// Puts the core below `parents`, for outputs like `value`.
pub(super) fn core<B: Routed>(
    parents: Vec<Parent>,
    pullback: Pullback,
    value: &FloatTensor<B>,
) -> (DispatchTensor, Shared) {
    let strategy = strategy_of(&parents);
    // The graph-only tensors need something to carry, which is kept as long as they are.
    let filler = B::float_empty(Shape::new([1]), &value.device(), value.dtype().into());
    let (guards, targets) = parents.into_iter().map(Parent::split).unzip();
    let shared = Shared(Arc::new(Mutex::new(Record {
        pullback: Some(pullback),
        cotangents: Vec::new(),
        targets,
    })));
    let guards = fill::<B>(join::<B>(guards, &filler), &filler);
    let node = match Backward::<B, FAN_IN>::prepare::<NoCheckpointing>(Core, guards)
        .compute_bound()
        .stateful()
    {
        OpsKind::Tracked(prep) => prep.finish(shared.clone(), filler),
        OpsKind::UnTracked(prep) => prep.finish(filler),
    };
    (B::wrap_tracked(node, strategy), shared)
}

/// One output of the core.
pub(super) fn port<B: Routed>(
    core: &DispatchTensor,
    shared: &Shared,
    value: FloatTensor<B>,
    saved: Option<SavedAs>,
    strategy: GradientCheckpointingStrategy,
) -> DispatchTensor {
    let index = shared.next();
    let core = B::tracked(core.clone());
    let node = match saved {
        Some(saved) => saved_port::<B>(&core, shared, index, value, saved),
        None => kept_port::<B>(&core, shared, index, value),
    };
    B::wrap_tracked(node, strategy)
}

/// One output whose consumers keep its value.
fn kept_port<B: Routed>(
    core: &Tracked<B>,
    shared: &Shared,
    index: usize,
    value: FloatTensor<B>,
) -> Tracked<B> {
    match Backward::<B, 1>::prepare::<NoCheckpointing>(Port, [core.node()])
        .compute_bound()
        .stateful()
    {
        OpsKind::Tracked(prep) => prep.finish((shared.clone(), index), value),
        OpsKind::UnTracked(prep) => prep.finish(value),
    }
}

fn strategy_of(parents: &[Parent]) -> GradientCheckpointingStrategy {
    parents
        .first()
        .map_or(GradientCheckpointingStrategy::Disabled, Parent::strategy)
}

/// Joins guards, `FAN_IN` at a time, until they fit one step.
fn join<B: Routed>(mut guards: Vec<NodeGuard>, filler: &FloatTensor<B>) -> Vec<NodeGuard> {
    while guards.len() > FAN_IN {
        let mut rest = guards.into_iter();
        let mut joined = Vec::new();
        while rest.len() > 0 {
            let group: Vec<_> = rest.by_ref().take(FAN_IN).collect();
            joined.push(join_group::<B>(group, filler).node());
        }
        guards = joined;
    }
    guards
}

fn join_group<B: Routed>(group: Vec<NodeGuard>, filler: &FloatTensor<B>) -> Tracked<B> {
    Backward::<B, FAN_IN>::prepare::<NoCheckpointing>(Join, fill::<B>(group, filler))
        .compute_bound()
        .stateless(filler.clone())
}

pub(super) fn fill<B: Routed>(
    guards: Vec<NodeGuard>,
    filler: &FloatTensor<B>,
) -> [NodeGuard; FAN_IN] {
    let empty = untracked::<B>(filler.clone());
    let mut guards = guards.into_iter();
    std::array::from_fn(|_| guards.next().unwrap_or_else(|| empty.node()))
}

impl Parent {
    fn split(self) -> (NodeGuard, Target) {
        let target = Target {
            id: self.guard.id(),
            inner: self.inner,
        };
        (self.guard, target)
    }
}
