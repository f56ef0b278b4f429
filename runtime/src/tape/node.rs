//! Recording a node whose backward pass is a closure.

use super::backend::{Routed, guard, on_backend};
use super::gradients::{Cotangents, ParentGradients};
use super::saved::SavedAs;
use super::steps::{self, Shared};
use burn::backend::DispatchTensor;
use burn::backend::autodiff::NodeId;
use burn::backend::autodiff::ops::NodeGuard;
use burn::tensor::{FloatDType, GradientCheckpointingStrategy, Shape, Tensor};

pub(super) type Pullback = Box<dyn FnOnce(Cotangents, &mut ParentGradients) + Send>;

/// Which tensor of a graph a [`Parent`] is: clones of a tensor have the same.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::tape::Parent;
///
/// let x = Tensor::<1>::ones([2], &Device::flex().autodiff()).require_grad();
/// let id = |tensor: &Tensor<1>| Parent::of(tensor).map(|parent| parent.id());
/// assert_eq!(id(&x), id(&x.clone()));
/// let y = x.clone() * 1.0;
/// assert_ne!(id(&x), id(&y));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParentId(NodeId);

impl ParentId {
    /// That of any tensor on a device with autodiff, also of one that is not tracked and so no parent.
    pub(crate) fn of<const D: usize>(tensor: &Tensor<D>) -> Option<Self> {
        let dispatched = tensor.is_autodiff().then(|| tensor.clone().into_dispatch());
        dispatched.map(|tensor| Self(guard(&tensor).id()))
    }
}

/// A tracked tensor that a recorded node depends on.
///
/// Holds the tensor's place in the graph, not its value. Keep it only until the node is recorded.
#[derive(Debug)]
pub struct Parent {
    pub(super) guard: NodeGuard,
    /// Shape and dtype, unless the tensor is a leaf.
    pub(super) inner: Option<(Shape, FloatDType)>,
    strategy: GradientCheckpointingStrategy,
}

impl Parent {
    /// The tensor as a parent; `None` if it is not tracked, since no gradient flows to it.
    ///
    /// # Panics
    ///
    /// If remat was built without the feature of the tensor's backend.
    #[must_use]
    pub fn of<const D: usize>(tensor: &Tensor<D>) -> Option<Self> {
        if !tensor.is_tracked() {
            return None;
        }
        let inner = (!tensor.is_require_grad()).then(|| (tensor.shape(), tensor.dtype().into()));
        Some(Self {
            guard: guard(&tensor.clone().into_dispatch()),
            inner,
            strategy: tensor.gradient_checkpointing_strategy()?,
        })
    }

    /// Which tensor it is.
    #[must_use]
    pub fn id(&self) -> ParentId {
        ParentId(self.guard.id())
    }

    pub(super) fn strategy(&self) -> GradientCheckpointingStrategy {
        self.strategy
    }
}

/// Records a node with the given parents and a pullback that turns the gradients of its outputs
/// into gradients of its parents. Name the outputs with [`Node::output`].
///
/// The pullback runs at most once, in the backward pass of a loss that depends on an output. It
/// may run burn's autodiff itself on tensors of its own ([`Vjp`](super::Vjp) helps), but must not
/// touch tensors of the graph it is recorded in: that graph is locked while it runs.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::tape::{self, Parent};
///
/// // y = x * 3 with a hand-written gradient
/// let device = Device::flex().autodiff();
/// let x = Tensor::<1>::from_floats([1.0, 2.0], &device).require_grad();
/// let mut node = tape::record(Vec::from_iter(Parent::of(&x)), |mut outputs, parents| {
///     if let Some(gradient) = outputs.take::<1>(0) {
///         parents.set(0, gradient * 3.0);
///     }
/// });
/// let y = node.output(x.clone().inner() * 3.0);
///
/// let grads = y.sum().backward();
/// assert_eq!(x.grad(&grads).unwrap().to_data().try_to_vec::<f32>().unwrap(), [3.0, 3.0]);
/// ```
pub fn record<F>(parents: Vec<Parent>, pullback: F) -> Node
where
    F: FnOnce(Cotangents, &mut ParentGradients) + Send + 'static,
{
    let strategy = parents.first().map(Parent::strategy);
    Node {
        strategy,
        state: State::Open {
            parents,
            pullback: Box::new(pullback),
        },
    }
}

/// A node being recorded.
pub struct Node {
    /// `None` without parents: nothing is recorded then.
    strategy: Option<GradientCheckpointingStrategy>,
    state: State,
}

enum State {
    /// The core waits for the first output, which tells the backend.
    Open {
        parents: Vec<Parent>,
        pullback: Pullback,
    },
    Recorded {
        core: DispatchTensor,
        shared: Shared,
    },
}

impl Node {
    /// The value as the next output of the node (the first is output 0): tracked, with the
    /// checkpointing strategy of the first parent. What the value's own graph was is dropped.
    ///
    /// Without any parent the value is returned as it is.
    ///
    /// # Panics
    ///
    /// If remat was built without the feature of the value's backend.
    pub fn output<const D: usize>(&mut self, value: Tensor<D>) -> Tensor<D> {
        self.next_output(value, None)
    }

    /// The value as the next output of the node, as by [`output`](Self::output); but burn's operations that
    /// consume it keep `saved` for their gradients, where they would keep the value. It is unpacked once, for all
    /// of them.
    ///
    /// If the output was saved with the values of other tensors, it is unpacked in any case before the pullback
    /// runs, which may use what that leaves behind.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::tape::{self, Parent, SavedAs};
    ///
    /// // y = x * 3, of which nobody keeps the value: it is computed again.
    /// let device = Device::flex().autodiff();
    /// let x = Tensor::<1>::from_floats([1.0, 2.0], &device).require_grad();
    /// let mut node = tape::record(Vec::from_iter(Parent::of(&x)), |mut outputs, parents| {
    ///     if let Some(gradient) = outputs.take::<1>(0) {
    ///         parents.set(0, gradient * 3.0);
    ///     }
    /// });
    /// let saved = SavedAs::new(|mut values| values.take::<1>(0).unwrap() * 3.0).with_value_of(&x);
    /// let y = node.output_saved_as(x.clone().inner() * 3.0, saved);
    ///
    /// let grads = y.powi_scalar(2).sum().backward(); // 2 y * 3
    /// assert_eq!(x.grad(&grads).unwrap().to_data().try_to_vec::<f32>().unwrap(), [18.0, 36.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`output`](Self::output).
    pub fn output_saved_as<const D: usize>(
        &mut self,
        value: Tensor<D>,
        saved: SavedAs,
    ) -> Tensor<D> {
        self.next_output(value, Some(saved))
    }

    fn next_output<const D: usize>(
        &mut self,
        value: Tensor<D>,
        saved: Option<SavedAs>,
    ) -> Tensor<D> {
        let Some(strategy) = self.strategy else {
            return value;
        };
        let value = value.inner().into_dispatch();
        let output = on_backend!(&value, B => self.output_on::<B>(value.clone(), saved, strategy));
        Tensor::from_dispatch(output)
    }

    fn output_on<B: Routed>(
        &mut self,
        value: DispatchTensor,
        saved: Option<SavedAs>,
        strategy: GradientCheckpointingStrategy,
    ) -> DispatchTensor {
        let value = B::plain(value);
        if let State::Open { parents, pullback } = &mut self.state {
            let pullback = std::mem::replace(pullback, Box::new(|_, _| ()));
            let (core, shared) = steps::core::<B>(std::mem::take(parents), pullback, &value);
            self.state = State::Recorded { core, shared };
        }
        match &self.state {
            State::Recorded { core, shared } => {
                steps::port::<B>(core, shared, value, saved, strategy)
            }
            State::Open { .. } => unreachable!("the core was recorded above"),
        }
    }
}
