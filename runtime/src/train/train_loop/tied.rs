//! Parameters that a model has in several places.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::tensor::Tensor;
use std::any::Any;
use std::collections::{HashMap, HashSet};

/// Lets every place of a trained parameter hold what its first place holds.
///
/// burn takes them apart: a step of its optimizers moves the first place only, and a record makes a tensor for each.
pub(super) fn tied<M: Module>(model: M) -> M {
    let mut places = Places::default();
    model.visit(&mut places);
    if places.repeated.is_empty() {
        return model;
    }
    model.map(&mut Tie {
        repeated: places.repeated,
        first: HashMap::new(),
    })
}

#[derive(Default)]
struct Places {
    seen: HashSet<ParamId>,
    repeated: HashSet<ParamId>,
}

impl ModuleVisitor for Places {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if param.is_require_grad() && !self.seen.insert(param.id) {
            self.repeated.insert(param.id);
        }
    }
}

struct Tie {
    repeated: HashSet<ParamId>,
    /// Tensors of any rank.
    first: HashMap<ParamId, Box<dyn Any>>,
}

impl ModuleMapper for Tie {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if !param.is_require_grad() || !self.repeated.contains(&param.id) {
            return param;
        }
        let first = self.first.get(&param.id);
        if let Some(first) = first.and_then(|first| first.downcast_ref::<Tensor<D>>()) {
            return param.map(|_| first.clone());
        }
        self.first.insert(param.id, Box::new(param.base()));
        param
    }
}
