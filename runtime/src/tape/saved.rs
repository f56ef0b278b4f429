//! The saved-tensor hook: what consumers of a tensor keep of it.

use super::backend::{Routed, Tracked};
use super::gradients::Cotangents;
use super::steps::{FAN_IN, Shared};
use burn::backend::DispatchTensor;
use burn::backend::autodiff::{
    NodeId,
    checkpoint::{
        base::Checkpointer, retro_forward::RetroForward, state::BackwardStates,
        strategy::BalancedCheckpointing,
    },
    grads::Gradients,
    ops::{Backward, NodeGuard, Ops, OpsKind},
};
use burn::backend::tensor::FloatTensor;
use burn::tensor::Tensor;
use std::collections::HashSet;
use std::fmt::{self, Debug};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

/// What the operations that consume an output keep of it for their gradients, instead of the value: a
/// way to get the value back. See [`Node::output_saved_as`](super::Node::output_saved_as).
pub struct SavedAs {
    pub(super) inputs: Vec<DispatchTensor>,
    unpack: Unpack,
}

/// From how many tensors an output can be unpacked: the core takes a place among the parents.
pub(crate) const MOST_INPUTS: usize = FAN_IN - 1;

type Unpack = Box<dyn FnOnce(Values) -> DispatchTensor + Send>;

impl SavedAs {
    /// The value comes from `unpack`, which runs at most once.
    #[must_use]
    pub fn new<const D: usize>(unpack: impl FnOnce(Values) -> Tensor<D> + Send + 'static) -> Self {
        Self {
            inputs: Vec::new(),
            unpack: Box::new(|values| unpack(values).inner().into_dispatch()),
        }
    }

    /// Like [`new`](Self::new) and [`with_value_of`](Self::with_value_of), for tensors of any rank.
    pub(crate) fn unpacked_from(
        tracked: Vec<DispatchTensor>,
        unpack: impl FnOnce(Values) -> DispatchTensor + Send + 'static,
    ) -> Self {
        Self {
            inputs: tracked,
            unpack: Box::new(unpack),
        }
    }

    /// `unpack` needs the value of this tensor, and finds it among its [`Values`] by the order of the
    /// calls. The tensor may be one of those whose value is not kept either.
    ///
    /// # Panics
    ///
    /// If the tensor is not tracked: its value is a constant, which `unpack` can hold. If there are more than
    /// 15.
    #[must_use]
    pub fn with_value_of<const D: usize>(mut self, tensor: &Tensor<D>) -> Self {
        assert!(
            tensor.is_tracked(),
            "a constant needs no place in the graph"
        );
        self.inputs.push(tensor.clone().into_dispatch());
        assert!(
            self.inputs.len() <= MOST_INPUTS,
            "an output is unpacked from at most 15 tensors"
        );
        self
    }
}

/// The values that an `unpack` needs.
pub struct Values(Vec<Option<DispatchTensor>>);

impl Values {
    /// None at all.
    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }

    /// Takes the value of tensor `index`, without autodiff. `None` if it was taken before.
    pub fn take<const D: usize>(&mut self, index: usize) -> Option<Tensor<D>> {
        let slot = self.0.get_mut(index)?;
        slot.take().map(Tensor::from_dispatch)
    }

    fn of<B: Routed>(values: impl Iterator<Item = FloatTensor<B>>) -> Self {
        Self(values.map(|value| Some(B::wrap_plain(value))).collect())
    }
}

/// The tensors whose consumers keep no value.
static PACKED: LazyLock<Mutex<HashSet<NodeId>>> = LazyLock::new(Mutex::default);

fn packed() -> MutexGuard<'static, HashSet<NodeId>> {
    PACKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the value of the tensor is computed again in the backward pass, so that what asks for it there keeps nothing.
pub(crate) fn gives_value_again<const D: usize>(tensor: &Tensor<D>) -> bool {
    super::Parent::of(tensor).is_some_and(|parent| packed().contains(&parent.guard.id()))
}

/// An `unpack` that has not run yet, as a step's state: burn asks for `Clone` and `Debug`.
#[derive(Clone)]
struct Packed(Arc<ToUnpack>);

struct ToUnpack {
    unpack: Mutex<Option<Unpack>>,
    /// The tensor that it is of.
    output: OnceLock<NodeId>,
}

impl Drop for ToUnpack {
    fn drop(&mut self) {
        if let Some(output) = self.output.get() {
            packed().remove(output);
        }
    }
}

impl Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Packed")
    }
}

impl Packed {
    fn new(unpack: Unpack) -> Self {
        Self(Arc::new(ToUnpack {
            unpack: Mutex::new(Some(unpack)),
            output: OnceLock::new(),
        }))
    }

    fn take(&self) -> Option<Unpack> {
        let mut unpack = self.0.unpack.lock().unwrap_or_else(PoisonError::into_inner);
        unpack.take()
    }

    fn is_of(&self, output: NodeId) {
        packed().insert(*self.0.output.get_or_init(|| output));
    }
}

/// How burn gets the value when a consumer's backward step asks for it.
#[derive(Debug)]
struct Unpacking<B> {
    packed: Packed,
    core: NodeId,
    inputs: Vec<NodeId>,
    backend: std::marker::PhantomData<fn() -> B>,
}

impl<B: Routed> RetroForward for Unpacking<B> {
    fn forward(&self, states: &mut BackwardStates, out: NodeId) {
        let _: FloatTensor<B> = states.get_state(&self.core);
        let values = self.inputs.iter().map(|input| states.get_state(input));
        let values = Values::of::<B>(values);
        if let Some(unpack) = self.packed.take() {
            states.save(out, B::plain(unpack(values)));
        }
    }
}

/// A port whose value is not kept.
#[derive(Debug)]
struct SavedPort;

impl<B: Routed> Backward<B, FAN_IN> for SavedPort {
    type State = (Shared, usize, Packed, Vec<NodeId>);

    fn backward(
        self,
        ops: Ops<Self::State, FAN_IN>,
        grads: &mut Gradients,
        checkpointer: &mut Checkpointer,
    ) {
        let (shared, index, packed, inputs) = ops.state;
        let cotangent = B::wrap_plain(grads.consume::<B>(&ops.node));
        shared.arrive(index, cotangent);
        // Asked for in any case, so that burn lets go of them.
        let values = inputs
            .into_iter()
            .map(|input| checkpointer.retrieve_node_output(input));
        let values = Values::of::<B>(values);
        // The pullback that follows may need what unpacking leaves behind.
        if !values.0.is_empty()
            && let Some(unpack) = packed.take()
        {
            unpack(values);
        }
    }
}

/// One output of the core, whose consumers keep `saved`.
pub(super) fn saved_port<B: Routed>(
    core: &Tracked<B>,
    shared: &Shared,
    index: usize,
    value: FloatTensor<B>,
    saved: SavedAs,
) -> Tracked<B> {
    let inputs: Vec<Tracked<B>> = saved.inputs.into_iter().map(B::tracked).collect();
    let ids: Vec<NodeId> = inputs.iter().map(Tracked::<B>::id).collect();
    let packed = Packed::new(saved.unpack);
    let unpacking = Unpacking::<B> {
        packed: packed.clone(),
        core: core.id(),
        inputs: ids.clone(),
        backend: std::marker::PhantomData,
    };
    let guards: Vec<NodeGuard> = [core]
        .into_iter()
        .chain(&inputs)
        .map(Tracked::<B>::node)
        .collect();
    let guards = super::steps::fill::<B>(guards, &value);
    match Backward::<B, FAN_IN>::prepare::<BalancedCheckpointing>(SavedPort, guards)
        .memory_bound()
        .retro_forward(unpacking)
        .parents([core].into_iter().chain(&inputs))
        .stateful()
    {
        OpsKind::Tracked(mut prep) => {
            for input in &inputs {
                prep.checkpoint(input);
            }
            let state = (shared.clone(), index, packed.clone(), ids);
            let output = prep.finish(state, value);
            packed.is_of(output.id());
            output
        }
        OpsKind::UnTracked(prep) => prep.finish(value),
    }
}

/// The tensor itself, in value and gradient, but for what its consumers keep of it.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::tape::{self, SavedAs};
///
/// let device = Device::flex().autodiff();
/// let x = Tensor::<1>::from_floats([0.51, 2.02], &device).require_grad();
/// let y = x.clone() * 1.0;
///
/// // What `square` keeps for its gradient is the rounded value.
/// let rounded = y.clone().inner().round();
/// let y = tape::save_as(y, SavedAs::new(move |_| rounded));
/// let z = y.powi_scalar(2);
/// let gradient = x.grad(&z.sum().backward()).unwrap();
/// assert_eq!(gradient.to_data().try_to_vec::<f32>().unwrap(), [2.0, 4.0]);
/// ```
///
/// # Panics
///
/// If remat was built without the feature of the tensor's backend.
#[must_use]
pub fn save_as<const D: usize>(tensor: Tensor<D>, saved: SavedAs) -> Tensor<D> {
    let Some(parent) = super::Parent::of(&tensor) else {
        return tensor;
    };
    let identity = |mut outputs: Cotangents, parents: &mut super::ParentGradients| {
        if let Some(gradient) = outputs.take::<D>(0) {
            parents.set(0, gradient);
        }
    };
    super::record(vec![parent], identity).output_saved_as(tensor, saved)
}
