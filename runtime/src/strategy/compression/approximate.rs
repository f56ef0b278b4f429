//! Tensors whose value is not given back exactly: what is computed from them again is not compared with what it was.

use crate::tape::{Parent, ParentId};
use crate::tree::{TensorTree, TensorVisitor};
use burn::tensor::Tensor;
use std::collections::HashSet;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

static MARKED: LazyLock<Mutex<HashSet<ParentId>>> = LazyLock::new(Mutex::default);

fn marked() -> MutexGuard<'static, HashSet<ParentId>> {
    MARKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A function that gives an approximate value, and who marks the tensor that it is of. The mark goes with the function.
pub(in super::super) fn approximating<A, R>(
    give: impl FnOnce(A) -> R + Send + 'static,
) -> (impl FnOnce(A) -> R + Send + 'static, Marker) {
    let id = Arc::new(OnceLock::new());
    let mark = Mark(Arc::clone(&id));
    let give = move |argument| {
        let _mark = mark;
        give(argument)
    };
    (give, Marker(id))
}

pub(in super::super) struct Marker(Arc<OnceLock<ParentId>>);

impl Marker {
    /// The tensor, whose consumers get the approximate value.
    pub(in super::super) fn mark<const D: usize>(self, tensor: Tensor<D>) -> Tensor<D> {
        if let Some(parent) = Parent::of(&tensor) {
            marked().insert(*self.0.get_or_init(|| parent.id()));
        }
        tensor
    }
}

struct Mark(Arc<OnceLock<ParentId>>);

impl Drop for Mark {
    fn drop(&mut self) {
        if let Some(id) = self.0.get() {
            marked().remove(id);
        }
    }
}

/// Whether any of the tensors is one of those.
pub(in super::super) fn are_approximate<I: TensorTree>(inputs: &I) -> bool {
    // As in most programs.
    if marked().is_empty() {
        return false;
    }
    let mut search = Search(false);
    inputs.visit_tensors(&mut search);
    search.0
}

struct Search(bool);

impl TensorVisitor for Search {
    fn visit_float<const D: usize>(&mut self, tensor: &Tensor<D>) {
        if let Some(parent) = Parent::of(tensor) {
            self.0 |= marked().contains(&parent.id());
        }
    }
}
