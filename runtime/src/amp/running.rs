//! Which of a module's values are its running statistics.

use super::place::Place;
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{DType, Tensor};

/// The path of a running state whose dtype is another one.
///
/// burn shows it to visitors as if it were a frozen parameter, but clones of a module share it: what is done to a clone
/// of the copy is seen in the copy.
pub(crate) fn running_state<M: Module>(module: &M, dtype: DType) -> Option<String> {
    let copy = module.valid(); // with states of its own
    let _ = copy.clone().map(&mut Empty(dtype));
    let mut search = Search {
        place: Place::default(),
        found: None,
    };
    copy.visit(&mut search);
    search.found
}

/// Leaves nothing of floats with another dtype.
struct Empty(DType);

impl ModuleMapper for Empty {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|value| {
            let dtype = value.dtype();
            if dtype.is_float() && dtype != self.0 {
                Tensor::empty([0; D], (&value.device(), dtype))
            } else {
                value
            }
        })
    }
}

struct Search {
    place: Place,
    found: Option<String>,
}

impl ModuleVisitor for Search {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if self.found.is_none() && param.base().shape().num_elements() == 0 {
            self.found = Some(self.place.name());
        }
    }

    fn enter_module(&mut self, name: &str, container_type: &str) {
        self.place.enter(name, container_type);
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.place.exit();
    }
}
