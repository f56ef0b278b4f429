//! What a scaler refuses.

use burn::tensor::DType;
use std::fmt;

/// An option of a scaler, or a part of its saved state, that no scaler can have.
///
/// ```
/// use remat::amp::GradScalerConfig;
///
/// let error = GradScalerConfig::new().with_backoff_factor(2.0).init().unwrap_err();
/// assert_eq!(error.to_string(), "`backoff_factor` is 2, but has to be between 0 and 1, without these");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidScaler {
    pub(super) option: &'static str,
    pub(super) value: String,
    pub(super) rule: &'static str,
}

impl fmt::Display for InvalidScaler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            option,
            value,
            rule,
        } = self;
        write!(f, "`{option}` is {value}, but has to be {rule}")
    }
}

impl std::error::Error for InvalidScaler {}

/// Why a scaled backward pass was not run.
///
/// ```
/// use burn::nn::LinearConfig;
/// use burn::tensor::{Device, FloatDType, Tensor};
/// use remat::amp::{GradScaler, Refused};
///
/// let device = Device::flex().autodiff();
/// let model = LinearConfig::new(2, 1).init(&device);
/// let loss = model.forward(Tensor::<2>::ones([3, 2], &device)).mean();
///
/// let error = GradScaler::default().backward(loss.cast(FloatDType::F16), &model).unwrap_err();
/// assert!(matches!(error, Refused::LowPrecisionLoss(_)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The loss has the given dtype, of 16 bits: its mean over a batch is too coarse, and so is the scale in it.
    LowPrecisionLoss(DType),
    /// A trained parameter is of 16 bits: small updates would be rounded away.
    LowPrecisionParameter {
        /// Its path in the module, such as `blocks.0.up.weight`.
        path: String,
        /// Its dtype.
        dtype: DType,
    },
    /// The loss does not depend on anything that requires a gradient.
    Untracked,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LowPrecisionLoss(dtype) => write!(
                f,
                "the loss is {}: cast what it is computed from to f32, as in \
                 `logits.cast(FloatDType::F32)`, not the loss itself",
                dtype.name()
            ),
            Self::LowPrecisionParameter { path, dtype } => write!(
                f,
                "the parameter `{path}` is {}, in which small updates are lost: keep the model in f32 and \
                 compute in {} with `#[autocast(..)]`, or by casting in its forward pass; its gradients are then f32",
                dtype.name(),
                dtype.name()
            ),
            Self::Untracked => write!(
                f,
                "the loss does not depend on any tensor that requires a gradient: build the model on a device \
                 with `.autodiff()`, and do not freeze all of it or detach what the loss is computed from"
            ),
        }
    }
}

impl std::error::Error for Refused {}
