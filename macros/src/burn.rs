//! burn's own layers, which are known by the names of their types.

use syn::{Type, TypePath};

use crate::{
    kind::type_arguments,
    syntax::{last_name, peel_type},
};

/// What a layer of burn's does, as far as strategies differ about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Matrix products or convolutions.
    Products,
    /// Those of `MultiHeadAttention`.
    Attention,
    /// Little, with running statistics: `BatchNorm`.
    Statistics,
    /// Little.
    Little,
}

/// A layer of burn's in the type of a field.
pub struct Known<'a> {
    pub ty: &'a Type,
    pub name: String,
    pub work: Work,
}

/// The layer of burn's that a field has one or more of.
pub fn known(ty: &Type) -> Option<Known<'_>> {
    let ty = peel_type(ty);
    match ty {
        Type::Array(array) => known(&array.elem),
        Type::Slice(slice) => known(&slice.elem),
        Type::Path(path) => known_path(ty, path),
        _ => None,
    }
}

fn known_path<'a>(ty: &'a Type, path: &'a TypePath) -> Option<Known<'a>> {
    let name = last_name(&path.path);
    match name.as_str() {
        "Vec" | "Option" | "Box" => type_arguments(path).find_map(known),
        _ => Work::of(&name).map(|work| Known { ty, name, work }),
    }
}

impl Work {
    /// Of the layer of burn's that is called so.
    pub fn of(name: &str) -> Option<Self> {
        let with_dimension = ["1d", "2d", "3d"]
            .into_iter()
            .find_map(|dimension| name.strip_suffix(dimension));
        match (with_dimension, name) {
            (Some("Conv" | "ConvTranspose" | "DeformConv"), _) => Some(Self::Products),
            (Some("MaxPool" | "AvgPool" | "AdaptiveAvgPool" | "Interpolate"), _) => {
                Some(Self::Little)
            }
            (_, "MultiHeadAttention") => Some(Self::Attention),
            (_, "BatchNorm") => Some(Self::Statistics),
            _ if PRODUCTS.contains(&name) => Some(Self::Products),
            _ if LITTLE.contains(&name) => Some(Self::Little),
            _ => None,
        }
    }
}

const PRODUCTS: &[&str] = &[
    "Linear",
    "Bilinear",
    "CrossAttention",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "PositionWiseFeedForward",
    "SwiGlu",
    "Lstm",
    "BiLstm",
    "Gru",
    "BiGru",
    "Rnn",
    "BiRnn",
];

const LITTLE: &[&str] = &[
    "Embedding",
    "PositionalEncoding",
    "RotaryEncoding",
    "Dropout",
    "GaussianNoise",
    "LayerNorm",
    "GroupNorm",
    "InstanceNorm",
    "RmsNorm",
    "LocalResponseNorm",
    "Celu",
    "Elu",
    "Gelu",
    "GLU",
    "HardShrink",
    "HardSigmoid",
    "HardSwish",
    "Hardtanh",
    "LeakyRelu",
    "LogSigmoid",
    "Mish",
    "PRelu",
    "RRelu",
    "Relu",
    "Relu6",
    "Selu",
    "SiLU",
    "Sigmoid",
    "SoftShrink",
    "Softplus",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "ThresholdedRelu",
];
