//! Queries, keys and values, as they are kept.

use super::super::compression::{Compressed, Quantize};
use crate::tape::Parent;
use burn::tensor::Tensor;

/// One of them, without autodiff.
#[allow(clippy::large_enum_variant, reason = "most are whole")]
#[derive(Clone)]
pub(super) enum Operand {
    Whole(Tensor<4>),
    Compressed(Compressed),
}

impl Operand {
    /// Compressed, if it is tracked and the options say so.
    pub(super) fn compressed(tensor: &Tensor<4>, compression: Quantize) -> Self {
        let parent = Parent::of(tensor);
        let compressed =
            parent.and_then(|parent| compression.value(parent.id(), tensor, &tensor.device()));
        compressed.map_or_else(|| Self::Whole(tensor.clone().inner()), Self::Compressed)
    }

    pub(super) fn value(&self) -> Tensor<4> {
        match self {
            Self::Whole(value) => value.clone(),
            Self::Compressed(compressed) => compressed.restore(),
        }
    }
}
