//! burn's own layers, which are known by the names of their types.

use syn::Type;

use crate::{kind::layer_type, syntax::last_name};

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
    pub kept: Kept,
}

/// What a layer of burn's keeps of its input for the backward pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// Numbers.
    Values,
    /// Integers that it looks up.
    Indices,
    /// Nothing, but a mask of what it has drawn.
    Mask,
    /// Nothing, but results of its own.
    Results,
    Nothing,
}

/// What the gradient of an activation of burn's can be computed from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gradient {
    /// Its output.
    OfOutput,
    /// A mask, which remat's own layer of this name draws again.
    OfMask,
    /// A bit for each element: on which side of a limit it was.
    OfSides,
    /// Its input only: for one output, there are several inputs with other gradients, or it is rounded away.
    OfInput,
    /// It is no activation.
    Unknown,
}

impl Known<'_> {
    /// What the gradient can be computed from.
    pub fn gradient(&self) -> Gradient {
        match self.name.as_str() {
            name if KEEP_OUTPUT.contains(&name) => Gradient::OfOutput,
            "Dropout" => Gradient::OfMask,
            "LeakyRelu" | "Relu6" | "Hardtanh" | "HardSigmoid" => Gradient::OfSides,
            name if ACTIVATIONS.contains(&name) => Gradient::OfInput,
            _ => Gradient::Unknown,
        }
    }
}

/// The layer of burn's that a field has one or more of.
pub fn known(ty: &Type) -> Option<Known<'_>> {
    let ty = layer_type(ty);
    let Type::Path(path) = ty else { return None };
    let name = last_name(&path.path);
    let (work, kept) = (Work::of(&name)?, Kept::of(&name));
    Some(Known {
        ty,
        name,
        work,
        kept,
    })
}

/// Whether a layer in place is known by its name to keep its output. Of the others rustc knows it.
pub fn keeps_output(ty: &Type) -> bool {
    matches!(layer_type(ty), Type::Path(path) if KEEP_OUTPUT.contains(&last_name(&path.path).as_str()))
}

/// Whether the gradient of a layer of this type needs no more of its input than the signs.
pub fn needs_signs_only(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if last_name(&path.path) == "Relu")
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
            _ if LITTLE.contains(&name) || ACTIVATIONS.contains(&name) => Some(Self::Little),
            _ => None,
        }
    }
}

impl Kept {
    fn of(name: &str) -> Self {
        match name {
            "Embedding" => Self::Indices,
            "Dropout" => Self::Mask,
            "LayerNorm" | "GroupNorm" | "InstanceNorm" | "RmsNorm" | "LocalResponseNorm"
            // Of activations, tests/bytes/quantize.rs of the runtime measures it.
            | "Celu" | "GLU" | "HardSigmoid" | "Hardtanh" | "LeakyRelu" | "RRelu" | "Relu6"
            | "Softplus" | "ThresholdedRelu" => Self::Results,
            // They add something that has no gradient, or multiply by it.
            "GaussianNoise" | "PositionalEncoding" | "RotaryEncoding" => Self::Nothing,
            _ => Self::Values,
        }
    }
}

/// What casts are to a layer of burn's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Casts {
    /// It computes in 16 bits.
    Low,
    /// Its products do, and its softmax does not.
    Attention,
    /// It may, but there is nothing to be had: it looks up or adds constants.
    Wide,
    /// Sums over many elements: normalisation.
    Sums,
    Loss,
    /// It does not, and why.
    OnlyF32(&'static str),
}

/// What casts are to the layer of burn's that a field has one or more of.
pub fn casts(ty: &Type) -> Option<Casts> {
    let Type::Path(path) = layer_type(ty) else {
        return None;
    };
    Casts::of(&last_name(&path.path))
}

impl Casts {
    fn of(name: &str) -> Option<Self> {
        let casts = match name {
            "BatchNorm" | "GroupNorm" | "InstanceNorm" | "LayerNorm" | "RmsNorm"
            | "LocalResponseNorm" => Self::Sums,
            "Lstm" | "BiLstm" | "Gru" | "BiGru" | "Rnn" | "BiRnn" => {
                Self::OnlyF32("has a state, which burn makes in f32")
            }
            "TransformerEncoder"
            | "TransformerEncoderLayer"
            | "TransformerDecoder"
            | "TransformerDecoderLayer" => {
                Self::OnlyF32("contains normalisation, for which 16 bits are too coarse")
            }
            "CrossAttention" => Self::OnlyF32("takes a softmax, for which 16 bits are too coarse"),
            // Exponentials and logarithms, tables, noise.
            "Softplus" | "LogSigmoid" | "Embedding" | "PositionalEncoding" | "RotaryEncoding"
            | "GaussianNoise" => Self::Wide,
            "MultiHeadAttention" => Self::Attention,
            _ if LOSSES.contains(&name) => Self::Loss,
            _ => return Work::of(name).map(|_| Self::Low),
        };
        Some(casts)
    }
}

const LOSSES: &[&str] = &[
    "BinaryCrossEntropyLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "CTCLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "LpLoss",
    "MarginRankingLoss",
    "MseLoss",
    "MultiMarginLoss",
    "PoissonNllLoss",
    "RNNTLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
];

/// burn's layers, and remat's, whose `KEEPS_OUTPUT` is true. (`runtime/tests/inplace` compares the two.)
const KEEP_OUTPUT: &[&str] = &[
    "Celu",
    "Elu",
    "LogSoftmax",
    "Relu",
    "Selu",
    "Sigmoid",
    "Softmax",
    "Tanh",
];

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
];

const ACTIVATIONS: &[&str] = &[
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
