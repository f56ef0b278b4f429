//! Layers that overwrite their input: what they are, and how often one could not.
//!
//! burn's activations keep their input for the gradient, so its buffer cannot be reused, and two buffers live where one
//! would do. A layer whose gradient follows from its output can overwrite its input: [`inplace()`](fn@crate::inplace)
//! does it for every [`InplaceActivation`].
//!
//! | layer | its gradient is computed from |
//! |---|---|
//! | [`Relu`](burn::nn::Relu), [`Sigmoid`](burn::nn::Sigmoid), [`Tanh`](burn::nn::Tanh) | the output |
//! | [`nn::Dropout`](crate::nn::Dropout) | the seed of its mask |
//! | [`nn::Softmax`](crate::nn::Softmax), [`nn::LogSoftmax`](crate::nn::LogSoftmax) | the output, rounded otherwise than burn's |
//!
//! The others' are burn's gradients to the bit. What is not in the table is not in place, since its gradient would not be
//! the same, or nothing would be saved:
//!
//! * `Gelu`, `SiLU`, `Mish`, `HardSwish`, ..: many inputs have one output.
//! * `Elu`, `Selu`, `Celu`, `Softplus`: an exponential rounds away what burn's gradient needs. At -20, `Elu` is -1, and
//!   its gradient 2e-9.
//! * `LeakyRelu`, `Relu6`, `Hardtanh`, `HardSigmoid`: an input at a limit has another gradient than one beyond, and both have
//!   one output (a slope times a small number underflows to zero, too). burn keeps no more than masks of one byte an element
//!   of them.
//! * `x * 2.0` and other sums and products with numbers: burn keeps nothing of them.
//!
//! `#[recompute(cheap)]` keeps neither input nor output of those.

mod activation;
mod burn_nn;
pub(super) mod call;
mod copies;
mod options;

pub use activation::{InplaceActivation, KeepsOutput, Overwritten};
pub use copies::copies;
pub use options::Inplace;
