//! What a forward pass gives to the loop.

use crate::train::accumulator::Weight;
use burn::tensor::Tensor;
use std::error::Error;

/// The loss of a micro-batch, and how much it counts.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::train::MicroBatch;
///
/// let device = Device::flex().autodiff();
/// let loss = Tensor::<1>::ones([1], &device).require_grad();
/// // Two sequences with 30 tokens that are not padding.
/// let _batch = MicroBatch::new(loss, 30).samples(2);
/// ```
#[derive(Clone, Debug)]
pub struct MicroBatch {
    pub(super) loss: Tensor<1>,
    pub(super) weight: Weight,
    samples: Option<Weight>,
}

impl MicroBatch {
    /// `loss` is one number, of shape `[1]`; its weight is what it is a mean over: samples, or tokens that are not padding.
    /// See [`Accumulator`](crate::train::Accumulator).
    #[must_use]
    pub fn new(loss: Tensor<1>, weight: impl Into<Weight>) -> Self {
        Self {
            loss,
            weight: weight.into(),
            samples: None,
        }
    }

    /// How many rows a batch normalisation saw, if that is not the weight: for
    /// [`BatchNorms::accumulated`](crate::train::BatchNorms::accumulated).
    #[must_use]
    pub fn samples(self, samples: impl Into<Weight>) -> Self {
        Self {
            samples: Some(samples.into()),
            ..self
        }
    }

    /// The rows that a batch normalisation saw.
    pub(super) fn rows(&self) -> Weight {
        self.samples.unwrap_or(self.weight)
    }
}

/// What a forward pass may give: a micro-batch; `None` where there is nothing to learn from; or an error, which ends the
/// training.
///
/// ```
/// use remat::train::{IntoMicroBatch, MicroBatch};
///
/// fn padding() -> Result<Option<MicroBatch>, std::io::Error> {
///     Ok(None)
/// }
/// assert!(padding().into_micro_batch().unwrap().is_none());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how much it counts",
    label = "the forward pass gives `{Self}`, and not a `MicroBatch`",
    note = "write `MicroBatch::new(loss, samples)` with what the loss is a mean over: samples, or tokens that are not padding"
)]
pub trait IntoMicroBatch {
    /// The micro-batch, if there is one.
    ///
    /// # Errors
    ///
    /// That of the forward pass.
    fn into_micro_batch(self) -> Result<Option<MicroBatch>, ForwardError>;
}

/// Why a forward pass failed: any error.
pub type ForwardError = Box<dyn Error + Send + Sync>;

impl IntoMicroBatch for MicroBatch {
    fn into_micro_batch(self) -> Result<Option<MicroBatch>, ForwardError> {
        Ok(Some(self))
    }
}

impl IntoMicroBatch for Option<MicroBatch> {
    fn into_micro_batch(self) -> Result<Option<MicroBatch>, ForwardError> {
        Ok(self)
    }
}

impl<B: IntoMicroBatch, E: Into<ForwardError>> IntoMicroBatch for Result<B, E> {
    fn into_micro_batch(self) -> Result<Option<MicroBatch>, ForwardError> {
        self.map_err(Into::into)?.into_micro_batch()
    }
}
