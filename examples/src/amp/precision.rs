//! Layers in 16 bits, in a model that stays in f32.

use std::fmt;

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{FloatDType, Tensor};
use remat::{TensorMapper, TensorTree};

/// What a layer computes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 24 bits of precision.
    F32,
    /// 8 bits of precision, and the range of f32.
    BF16,
    /// 11 bits of precision, from 6e-8 to 65504.
    F16,
}

impl Precision {
    /// burn's name for it.
    #[must_use]
    pub const fn dtype(self) -> FloatDType {
        match self {
            Self::F32 => FloatDType::F32,
            Self::BF16 => FloatDType::BF16,
            Self::F16 => FloatDType::F16,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::BF16 => "bf16",
            Self::F16 => "f16",
        })
    }
}

/// Runs a layer in a precision: its parameters and inputs are cast for the call, and its outputs back to what the first
/// input was.
pub fn autocast<M, I, O>(precision: Precision, layer: &M, inputs: I, forward: fn(&M, I) -> O) -> O
where
    M: Module,
    I: TensorTree,
    O: TensorTree,
{
    let mut cast = Cast {
        to: precision.dtype(),
        from: None,
    };
    let inputs = inputs.map_tensors(&mut cast);
    let from = cast.from;
    let outputs = if precision == Precision::F32 {
        // A mapper would reach running statistics, which are shared with the model.
        forward(layer, inputs)
    } else {
        forward(&layer.clone().map(&mut cast), inputs)
    };
    match from {
        Some(to) => outputs.map_tensors(&mut Cast { to, from: None }),
        None => outputs,
    }
}

struct Cast {
    to: FloatDType,
    /// Of the first tensor.
    from: Option<FloatDType>,
}

impl TensorMapper for Cast {
    fn map_float<const D: usize>(&mut self, tensor: Tensor<D>) -> Tensor<D> {
        self.from.get_or_insert(tensor.dtype().into());
        tensor.cast(self.to)
    }
}

impl ModuleMapper for Cast {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|value| value.cast(self.to))
    }
}
