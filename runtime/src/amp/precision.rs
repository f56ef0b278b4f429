//! The precisions that a layer can compute in.

use super::running::running_state;
use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{DType, FloatDType, Tensor};
use std::error::Error;
use std::fmt;

/// What a layer computes in: what [`autocast`](crate::autocast()) is told.
///
/// ```
/// use remat::amp::Precision;
///
/// assert!(Precision::BF16.is_low() && Precision::F16.is_low() && !Precision::F32.is_low());
/// assert_eq!(Precision::BF16.to_string(), "bf16");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 8 bits of precision with the range of f32: gradients need no scaling.
    BF16,
    /// 11 bits of precision, from 6e-8 to 65504: small gradients are lost without a
    /// scaled loss.
    F16,
    /// 24 bits of precision: an island in a layer or a stream of a lower one.
    F32,
}

impl Precision {
    /// burn's name for it.
    ///
    /// ```
    /// use burn::tensor::FloatDType;
    /// use remat::amp::Precision;
    ///
    /// assert_eq!(Precision::BF16.dtype(), FloatDType::BF16);
    /// ```
    #[must_use]
    pub const fn dtype(self) -> FloatDType {
        match self {
            Self::BF16 => FloatDType::BF16,
            Self::F16 => FloatDType::F16,
            Self::F32 => FloatDType::F32,
        }
    }

    /// Whether it has 16 bits.
    #[must_use]
    pub const fn is_low(self) -> bool {
        !matches!(self, Self::F32)
    }

    /// The module with all its parameters in this precision, for good: for inference, or as frozen base weights. For
    /// training keep the module in f32, and let [`autocast`](crate::autocast()) cast for each call.
    ///
    /// Parameters keep their ids, and are trained or frozen as before. The module that is given stays as it is.
    ///
    /// ```
    /// use burn::nn::LinearConfig;
    /// use burn::tensor::{DType, Device, Tensor};
    /// use remat::amp::Precision;
    ///
    /// let device = Device::flex();
    /// let linear = LinearConfig::new(4, 4).init(&device);
    /// let low = Precision::BF16.cast(&linear).unwrap();
    /// let y = low.forward(Tensor::<2>::ones([1, 4], (&device, DType::BF16)));
    /// assert_eq!(y.dtype(), DType::BF16);
    /// ```
    ///
    /// # Errors
    ///
    /// If the module contains running statistics (a `BatchNorm`) of another precision: clones of a module share them,
    /// and sums over many steps need f32.
    pub fn cast<M: Module>(self, module: &M) -> Result<M, RunningStatistics> {
        let dtype = DType::from(self.dtype());
        match running_state(module, dtype) {
            Some(path) => Err(RunningStatistics {
                path,
                precision: self,
            }),
            None => Ok(module.clone().map(&mut Cast(self.dtype()))),
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BF16 => "bf16",
            Self::F16 => "f16",
            Self::F32 => "f32",
        })
    }
}

/// A module cannot be cast because of its running statistics.
///
/// ```
/// use burn::nn::BatchNormConfig;
/// use burn::tensor::Device;
/// use remat::amp::Precision;
///
/// let norm = BatchNormConfig::new(2).init(&Device::flex());
/// let error = Precision::BF16.cast(&norm).unwrap_err();
/// assert!(error.to_string().contains("`running_mean`"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningStatistics {
    path: String,
    precision: Precision,
}

impl fmt::Display for RunningStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, precision } = self;
        write!(
            f,
            "`{path}` is a running statistic, which is not cast to {precision}: clones of the module share it, and \
             sums over many steps need f32. Cast the layers without one, each by itself."
        )
    }
}

impl Error for RunningStatistics {}

struct Cast(FloatDType);

impl ModuleMapper for Cast {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|value| {
            if !value.dtype().is_float() || value.dtype() == DType::from(self.0) {
                return value;
            }
            let trained = value.is_require_grad();
            value.cast(self.0).detach().set_require_grad(trained)
        })
    }
}
