//! What is trained is kept in full precision.

use super::{Place, Refused};
use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{DType, Tensor};

pub(crate) fn is_low(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// The first parameter that is trained in 16 bits. Those that only take part may be.
pub(crate) fn master_parameters<M: Module>(model: &M) -> Result<(), Refused> {
    let mut visitor = FirstLow::default();
    model.visit(&mut visitor);
    visitor.found.map_or(Ok(()), Err)
}

#[derive(Default)]
struct FirstLow {
    place: Place,
    found: Option<Refused>,
}

impl ModuleVisitor for FirstLow {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let dtype = param.dtype();
        if self.found.is_none() && param.is_require_grad() && is_low(dtype) {
            let path = self.place.name();
            self.found = Some(Refused::LowPrecisionParameter { path, dtype });
        }
    }

    fn enter_module(&mut self, name: &str, container: &str) {
        self.place.enter(name, container);
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.place.exit();
    }
}
