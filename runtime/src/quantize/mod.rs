//! Tensors in few bits: what a training step may keep instead of activations.
//!
//! A [`Quantizer`] stores a tensor in 8, 4 or 2 bits an element, a [`SignMask`] what the gradient of a `relu` needs in one.
//! They know nothing of models and graphs. [`compare`] does: it says what compression does to a model's gradients.
//!
//! ```
//! use burn::tensor::{Device, Distribution, Tensor};
//! use remat::quantize::{Quantizer, SignMask};
//!
//! let x = Tensor::<2>::random([64, 256], Distribution::Default, &Device::flex());
//! let kept = Quantizer::bits(8).quantize(x.clone(), 0);
//! assert_eq!(kept.bytes(), 64 * (256 + 8)); // of 64 * 1024
//! assert_eq!(SignMask::of(x).bytes(), 64 * 32);
//! ```

mod codec;
mod device;
mod host;
mod quantized;
mod quantizer;
mod sides;
mod sign_mask;
mod width;

pub use crate::strategy::{Comparison, FieldError, ParameterError, compare};
pub use quantized::Quantized;
pub use quantizer::{Quantizer, Rounding};
pub(crate) use sides::{Beyond, Sides};
pub use sign_mask::SignMask;

#[cfg(test)]
mod tests;
