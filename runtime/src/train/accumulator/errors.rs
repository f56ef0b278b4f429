//! What goes wrong, as values.

use crate::amp;
use burn::tensor::DType;
use thiserror::Error;

/// Why a micro-batch was not added. The window is as it was.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Refused {
    /// The weight is zero, negative, not finite, or too large or small for f32.
    #[error(
        "the weight of a micro-batch is {0}, but has to be finite and positive: its samples, or its tokens that are not padding (skip a micro-batch that has none)"
    )]
    Weight(f64),
    /// The loss has the given shape.
    #[error(
        "the loss has the shape {0:?}, but has to be one number: its mean or its sum, as `Reduction` says"
    )]
    Shape(Vec<usize>),
    /// The loss has the given dtype, of 16 bits.
    #[error("the loss is {}, in which weights are rounded: cast what it is computed from to f32, as in `logits.cast(FloatDType::F32)`", .0.name())]
    LowPrecisionLoss(DType),
    /// The loss does not depend on anything that requires a gradient.
    #[error(
        "the loss does not depend on any tensor that requires a gradient: build the model on a device with `.autodiff()`, and do not freeze all of it or detach what the loss is computed from"
    )]
    Untracked,
    /// The window holds gradients of parameters that the model does not have.
    #[error(
        "the window holds gradients of parameters that this model does not have ({0}): finish it before you train another model"
    )]
    AnotherModel(usize),
}

/// Why a window has no gradient: leave out this step.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Dropped {
    /// Losses are infinite or NaN: of so many micro-batches, if there are so many in all.
    #[error("the losses of {count} of {micro_batches} micro-batches are infinite or NaN")]
    Loss {
        /// Micro-batches with such a loss.
        count: usize,
        /// Micro-batches of the window.
        micro_batches: usize,
    },
    /// A gradient is infinite or NaN.
    #[error(transparent)]
    Gradient(#[from] amp::Overflow),
    /// No parameter has a gradient.
    #[error("no parameter has a gradient: is all of the model frozen, or out of the loss's graph?")]
    NoGradients,
    /// All gradients are finite, but their norm, by which they were to be clipped, is not.
    #[error("the norm of the gradient is too large for f32")]
    Norm,
}

/// An epoch began while a window was open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the last window of the epoch holds {micro_batches} of its micro-batches: `finish` it for a step, or `drop_window`"
)]
pub struct WindowIsOpen {
    /// Micro-batches in the window.
    pub micro_batches: usize,
}
