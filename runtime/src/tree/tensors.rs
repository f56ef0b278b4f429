//! The leaves of a tree that are tensors.

use super::{TensorMapper, TensorTree, TensorVisitor};
use burn::tensor::{Bool, Int, Tensor};

impl<const D: usize> TensorTree for Tensor<D> {
    fn visit_tensors<V: TensorVisitor>(&self, visitor: &mut V) {
        visitor.visit_float(self);
    }

    fn map_tensors<M: TensorMapper>(&self, mapper: &mut M) -> Self {
        mapper.map_float(self.clone())
    }
}

impl<const D: usize> TensorTree for Tensor<D, Int> {
    fn visit_tensors<V: TensorVisitor>(&self, visitor: &mut V) {
        visitor.visit_int(self);
    }

    fn map_tensors<M: TensorMapper>(&self, mapper: &mut M) -> Self {
        mapper.map_int(self.clone())
    }
}

impl<const D: usize> TensorTree for Tensor<D, Bool> {
    fn visit_tensors<V: TensorVisitor>(&self, visitor: &mut V) {
        visitor.visit_bool(self);
    }

    fn map_tensors<M: TensorMapper>(&self, mapper: &mut M) -> Self {
        mapper.map_bool(self.clone())
    }
}
