//! Calls in another precision than the caller's: what `autocast` does, and other strategies around their layer.

mod again;
mod module;
mod one_dtype;
mod options;
mod scope;
mod support;
mod tensors;

pub(super) use again::rows;
pub use again::widened;
pub use one_dtype::assert_one_dtype;
pub use options::Autocast;
pub use scope::CastScope;

use super::Layer;
use super::off::strategies_are_off;
use super::segment::{Label, Options};
use crate::amp::Precision;
use crate::tree::TensorTree;
use burn::tensor::FloatDType;
use module::{Survey, cast_parameters};
use std::any::type_name;
use tensors::{CastOnce, Floats};

/// Runs `forward`, in another precision if the options say so.
pub(super) fn in_precision<M: Layer, I: TensorTree, O: TensorTree>(
    options: Option<Autocast>,
    module: &M,
    inputs: I,
    forward: impl FnOnce(&M, I) -> O,
) -> O {
    match options {
        Some(options) => options.around(module, inputs, forward),
        None => forward(module, inputs),
    }
}

impl Autocast {
    /// Runs `forward` on inputs and parameters in the precision, and hands on its outputs in the caller's.
    pub(super) fn around<M: Layer, I: TensorTree, O: TensorTree>(
        self,
        module: &M,
        inputs: I,
        forward: impl FnOnce(&M, I) -> O,
    ) -> O {
        if strategies_are_off() {
            return forward(module, inputs);
        }
        let label = Options::new("autocast", self.name).label::<M>();
        let mut floats = Floats::default();
        inputs.visit_tensors(&mut floats);
        let survey = Survey::of(module, self.precision, self.precise_softmax);
        self.check(module, &floats, &survey, label);
        let output = self.output.map(Precision::dtype);
        let output = output.or_else(|| floats.dtype.or(survey.dtype).map(FloatDType::from));

        let cast = inputs.map_tensors(&mut CastOnce::to(self.precision.dtype()));
        drop(inputs);
        let cast = match self.compression {
            Some(compression) => compression.tree(&cast),
            None => cast,
        };
        let outputs = if survey.casts {
            forward(&cast_parameters(module, self.precision), cast)
        } else {
            forward(module, cast)
        };
        match output {
            Some(dtype) => outputs.map_tensors(&mut CastOnce::to(dtype)),
            None => outputs,
        }
    }

    /// Reports what cannot be computed in the precision.
    fn check<M: Layer>(self, module: &M, floats: &Floats, survey: &Survey, label: Label) {
        let precision = self.precision;
        if precision.is_low() && type_name::<M>().starts_with("burn_nn::loss::") {
            label.fail(format_args!(
                "a loss in {precision} is too coarse to train with. Compute it in f32: remove the `autocast`."
            ));
        }
        if let (Some(first), Some(other), None) = (floats.dtype, floats.other, self.output) {
            label.fail(format_args!(
                "its inputs are in {first:?} and in {other:?}, so it is not known in which of them the outputs are to \
                 be. Cast one of the inputs, or say it: `.output(..)`, or `#[autocast({precision}, output = ..)]`."
            ));
        }
        survey.check(module, label);
        let device = floats.device.as_ref().or(survey.device.as_ref());
        if let Some(device) = device {
            support::check(precision, device, label);
        }
    }
}
