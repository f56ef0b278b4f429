//! What parameters are kept in.

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{DType, Tensor};

#[derive(Default, PartialEq)]
pub(super) struct Dtypes {
    all: Vec<DType>,
    /// Of those that are trained.
    pub(super) trained: Vec<DType>,
}

impl Dtypes {
    pub(super) fn of<M: Module>(model: &M) -> Self {
        let mut dtypes = Self::default();
        model.visit(&mut dtypes);
        dtypes
    }
}

impl ModuleVisitor for Dtypes {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.all.push(param.dtype());
        if param.is_require_grad() {
            self.trained.push(param.dtype());
        }
    }
}
