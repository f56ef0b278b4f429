//! Tensors whose value is not given back exactly: what is computed from them again is not compared with what it was.

use crate::tape::{Parent, ParentId};
use crate::tree::{TensorTree, TensorVisitor};
use burn::tensor::Tensor;
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// Lives as long as the tensor's value can be asked for.
#[derive(Clone)]
pub(in super::super) struct Token(Arc<dyn Any + Send + Sync>);

impl Token {
    pub(in super::super) fn of(value: Arc<impl Any + Send + Sync>) -> Self {
        Self(value)
    }
}

thread_local! {
    static MARKED: RefCell<HashMap<ParentId, Weak<dyn Any + Send + Sync>>> = RefCell::default();
}

/// Notes that the consumers of the tensor get an approximate value.
pub(in super::super) fn mark<const D: usize>(tensor: &Tensor<D>, token: &Token) {
    let Some(parent) = Parent::of(tensor) else {
        return;
    };
    MARKED.with_borrow_mut(|marked| {
        // Now and then: as many are gone as there are left.
        if marked.len() == marked.capacity() {
            marked.retain(|_, token| token.strong_count() > 0);
            marked.shrink_to(2 * marked.len() + 64);
        }
        marked.insert(parent.id(), Arc::downgrade(&token.0));
    });
}

/// Whether any of the tensors is one of those.
pub(in super::super) fn are_approximate<I: TensorTree>(inputs: &I) -> bool {
    // As in most programs.
    if MARKED.with_borrow(HashMap::is_empty) {
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
            self.0 |= MARKED.with_borrow(|marked| marked.contains_key(&parent.id()));
        }
    }
}
