//! The parameters of a layer in another precision, for one call.

use super::super::segment::Label;
use super::tensors::{CastOnce, changes};
use crate::amp::{Place, Precision, running_state};
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{DType, Device, Tensor};

/// burn's layers that do not compute in 16 bits.
const NORMS: &[&str] = &[
    "BatchNorm",
    "GroupNorm",
    "InstanceNorm",
    "LayerNorm",
    "RmsNorm",
];
const RECURRENT: &[&str] = &["BiGru", "BiLstm", "BiRnn", "Gru", "Lstm", "Rnn"];
const ATTENTION: &[&str] = &["CrossAttention", "MultiHeadAttention"];

/// And why.
const SUMS: &str = "whose sums need f32";
const STATE: &str = "whose state burn makes in f32";
const SOFTMAX: &str = "whose softmax needs f32, which `remat::autocast_attention` gives it";

/// What a module consists of.
pub(super) struct Survey {
    precision: Precision,
    precise_softmax: bool,
    place: Place,
    /// The dtype of the first parameter.
    pub(super) dtype: Option<DType>,
    pub(super) device: Option<Device>,
    /// Whether there is a parameter in another precision.
    pub(super) casts: bool,
    /// Whether one of those has no gradient: it may be a running state.
    constants: bool,
    /// A parameter that would be cast to 16 bits, in a layer that is only for f32: the type, and why.
    only_f32: Option<(String, &'static str, &'static str)>,
}

impl Survey {
    pub(super) fn of<M: Module>(module: &M, precision: Precision, precise_softmax: bool) -> Self {
        let mut survey = Self {
            precision,
            precise_softmax,
            place: Place::default(),
            dtype: None,
            device: None,
            casts: false,
            constants: false,
            only_f32: None,
        };
        module.visit(&mut survey);
        survey
    }

    /// Reports what must not be cast.
    pub(super) fn check<M: Module>(&self, module: &M, label: Label) {
        let precision = self.precision;
        if let Some((path, ty, why)) = &self.only_f32 {
            label.fail(format_args!(
                "it contains a `{ty}` (`{path}`), {why}. Annotate the fields of the struct that contains it instead: \
                 `#[autocast({precision})]` on a struct with `#[derive(Remat)]` gives each of burn's layers what it \
                 needs."
            ));
        }
        if self.constants
            && let Some(path) = running_state(module, precision.dtype().into())
        {
            label.fail(format_args!(
                "it contains a running statistic (`{path}`), which is not cast to {precision}: clones of the module \
                 share it. Annotate the layers without one, each by itself."
            ));
        }
    }
}

impl Survey {
    /// Why the parameter that is visited does not go with 16 bits.
    fn reason(&self) -> Option<(String, &'static str, &'static str)> {
        let attention = if self.precise_softmax { &[] } else { ATTENTION };
        let mut reasons = [(NORMS, SUMS), (RECURRENT, STATE), (attention, SOFTMAX)].into_iter();
        reasons.find_map(|(types, why)| {
            let ty = self.place.inside(types)?;
            Some((self.place.name(), ty, why))
        })
    }
}

impl ModuleVisitor for Survey {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = param.base();
        let dtype = value.dtype();
        if !dtype.is_float() {
            return;
        }
        self.dtype.get_or_insert(dtype);
        self.device.get_or_insert_with(|| value.device());
        if !changes(dtype, self.precision.dtype()) {
            return;
        }
        self.casts = true;
        self.constants |= !value.is_require_grad();
        if self.precision.is_low() && self.only_f32.is_none() {
            self.only_f32 = self.reason();
        }
    }

    fn enter_module(&mut self, name: &str, container_type: &str) {
        self.place.enter(name, container_type);
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.place.exit();
    }
}

/// The module with its parameters as they are cast for one call: ids, flags and module state are those of the original.
pub(super) fn cast_parameters<M: Module>(module: &M, precision: Precision) -> M {
    let mut cast = CastParameters(CastOnce::to(precision.dtype()));
    module.clone().map(&mut cast)
}

struct CastParameters(CastOnce);

impl ModuleMapper for CastParameters {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|value| self.0.cast(value))
    }
}
