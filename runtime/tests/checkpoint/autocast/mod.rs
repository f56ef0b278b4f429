//! `remat::autocast` against models that are cast by hand, in plain burn.

mod attention;
mod corners;
mod layers;
mod limits;
mod scope;
mod segments;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{DType, FloatDType, Tensor, TensorData};
use remat::amp::Precision;
use std::panic::{AssertUnwindSafe, catch_unwind};

const LOW: [Precision; 2] = [Precision::BF16, Precision::F16];

/// The module with its parameters cast in the graph, which lets gradients through to the masters.
fn cast_by_hand<M: Module>(module: &M, dtype: FloatDType) -> M {
    struct Cast(FloatDType);
    impl ModuleMapper for Cast {
        fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
            param.map(|value| value.cast(self.0))
        }
    }
    module.clone().map(&mut Cast(dtype))
}

/// The dtypes of all parameters.
fn dtypes<M: Module>(module: &M) -> Vec<DType> {
    struct Collect(Vec<DType>);
    impl ModuleVisitor for Collect {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            self.0.push(param.dtype());
        }
    }
    let mut collect = Collect(Vec::new());
    module.visit(&mut collect);
    collect.0
}

fn assert_all_f32(gradients: &[Option<TensorData>]) {
    for gradient in gradients.iter().flatten() {
        assert_eq!(gradient.dtype(), DType::F32);
    }
}

/// The message of the panic of `f`.
fn panic_of<R>(f: impl FnOnce() -> R) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).err().expect("a panic");
    match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => (*panic.downcast::<&str>().expect("a message")).to_string(),
    }
}
