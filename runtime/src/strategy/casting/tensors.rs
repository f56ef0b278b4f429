//! Float tensors in another precision.

use super::{again::computed_again, scope};
use crate::tape::{ParentId, gives_value_again};
use crate::tree::{TensorMapper, TensorVisitor};
use burn::backend::DispatchTensor;
use burn::tensor::{DType, Device, FloatDType, Tensor};
use std::collections::HashMap;

/// Casts float tensors, each once: of clones of one tensor, which are kept several times otherwise.
pub(super) struct CastOnce {
    dtype: FloatDType,
    /// By the tensor, and whether it is tracked: a constant that is made a leaf keeps its place in the graph.
    known: HashMap<(ParentId, bool), DispatchTensor>,
}

impl CastOnce {
    pub(super) fn to(dtype: FloatDType) -> Self {
        Self {
            dtype,
            known: HashMap::new(),
        }
    }

    pub(super) fn cast<const D: usize>(&mut self, tensor: Tensor<D>) -> Tensor<D> {
        if !changes(tensor.dtype(), self.dtype) {
            return tensor;
        }
        let Some(id) = ParentId::of(&tensor) else {
            return tensor.cast(self.dtype);
        };
        let known = self.known.entry((id, tensor.is_tracked()));
        let known = known.or_insert_with(|| cast(&tensor, self.dtype).into_dispatch());
        Tensor::from_dispatch(known.clone())
    }
}

impl TensorMapper for CastOnce {
    fn map_float<const D: usize>(&mut self, tensor: Tensor<D>) -> Tensor<D> {
        self.cast(tensor)
    }
}

/// Whether a cast would do anything. Packed floats stay as they are.
pub(super) fn changes(from: DType, to: FloatDType) -> bool {
    from.is_float() && from != DType::from(to)
}

/// The tensor in another precision. If its own value is there in the backward pass in any case, or is computed again
/// there, consumers keep nothing of the cast: it is done again.
fn cast<const D: usize>(tensor: &Tensor<D>, dtype: FloatDType) -> Tensor<D> {
    let cast = scope::cast(tensor, dtype);
    // A leaf is a parameter, or an input that somebody holds.
    if tensor.is_require_grad() || gives_value_again(tensor) {
        computed_again(cast, tensor, move |value| value.cast(dtype))
    } else {
        cast
    }
}

/// What the float tensors of a call have in common.
#[derive(Default)]
pub(super) struct Floats {
    pub(super) dtype: Option<DType>,
    pub(super) device: Option<Device>,
    /// A dtype that is another one.
    pub(super) other: Option<DType>,
}

impl TensorVisitor for Floats {
    fn visit_float<const D: usize>(&mut self, tensor: &Tensor<D>) {
        let dtype = tensor.dtype();
        if !dtype.is_float() {
            return;
        }
        self.device.get_or_insert_with(|| tensor.device());
        if *self.dtype.get_or_insert(dtype) != dtype {
            self.other = Some(dtype);
        }
    }
}
