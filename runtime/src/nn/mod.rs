//! Layers that burn lacks.

mod attention;
mod dropout;
mod mha;
mod scale;
mod softmax;

pub use attention::Attention;
pub(crate) use dropout::Mask;
pub use dropout::{Dropout, DropoutConfig};
#[doc(hidden)]
pub use mha::IsMhaInput;
pub use mha::MhaInput;
pub use scale::Scale;
pub use softmax::{LogSoftmax, Softmax};
