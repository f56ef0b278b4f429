//! Layers that overwrite their input: what they are, and how often one could not.
//!
//! burn's activations keep their input for the gradient, so its buffer cannot be reused, and two buffers live where one
//! would do. A layer whose gradient follows from its output, or from less, can overwrite its input:
//! [`inplace()`](fn@crate::inplace) does it for every [`InplaceActivation`].
//!
//! | layer | its gradient is computed from |
//! |---|---|
//! | [`Relu`](burn::nn::Relu), [`Sigmoid`](burn::nn::Sigmoid), [`Tanh`](burn::nn::Tanh) | the output |
//! | [`LeakyRelu`] of any slope, [`Relu6`], [`Hardtanh`], [`HardSigmoid`] | a bit for each element: whether it was beyond a limit |
//! | [`Elu`], [`Celu`], [`Selu`] | the output, rounded otherwise than burn's; `Selu`, and `Elu` of an `alpha` below 0, also keep the bits |
//! | [`nn::Dropout`](crate::nn::Dropout) | the seed of its mask |
//! | [`nn::Softmax`](crate::nn::Softmax), [`nn::LogSoftmax`](crate::nn::LogSoftmax) | the output, rounded otherwise than burn's |
//! | [`nn::Scale`](crate::nn::Scale) | nothing |
//!
//! The others' are burn's gradients to the bit, but for the sign of NaN.
//!
//! # Limits
//!
//! burn keeps a mask of one byte an element for each limit, so what is saved here is 7/8 of that (15/16 where there are two
//! limits), and the buffers that burn computes with. Such a layer does not [keep its output](InplaceActivation::KEEPS_OUTPUT): another one in
//! place may follow. burn computes `HardSigmoid` in f32, so an input of another type is replaced and not overwritten.
//!
//! # Exponentials
//!
//! Below 0, `Elu` is `alpha · (exp(x) − 1)`, and its gradient `g · (y + alpha)` here and `g · alpha · exp(x)` in burn. The
//! first is rounded where `exp(x) − 1` was: it differs from the other by up to 2 ε · |alpha · g|, where ε is the distance from
//! 1 to the next number (1.2e-7 in f32, 9.8e-4 in f16, 7.8e-3 in bf16). That is little next to `g`, but all of a gradient that
//! is small: at -20, `Elu` is -1 in f32, and its gradient 0 instead of 2e-9. For `Selu`, alpha is 1.76; for `Celu`, the
//! bound is 4 ε · |g| (times the exponential, if its `alpha` is below 0). Above 0, gradients are burn's, but where
//! `exp(x)` is infinite (from 88.8 in f32, from 11.1 in f16): burn's are NaN there.
//!
//! # Others
//!
//! What is not in the table is not in place, since its gradient would not be the same, or nothing would be saved:
//!
//! * `Gelu`, `SiLU`, `Mish`, `HardSwish`, ..: many inputs have one output.
//! * `Softplus`: its gradient is `1 − exp(−beta · y)`, which is 0 where the output is below ε, and burn's is as small as the
//!   output there; burn has no function that would tell them apart.
//! * `x * 2.0` and other sums and products with numbers: burn keeps nothing of them, and overwrites their input if nobody
//!   else holds it. `Scale` saves nothing that burn does not save; `#[inplace]` on it proves that nobody holds its input.
//!
//! `#[recompute(cheap)]` keeps neither input nor output of those.
//!
//! [`LeakyRelu`]: burn::nn::LeakyRelu
//! [`Relu6`]: burn::nn::activation::Relu6
//! [`Hardtanh`]: burn::nn::activation::Hardtanh
//! [`HardSigmoid`]: burn::nn::HardSigmoid
//! [`Elu`]: burn::nn::activation::Elu
//! [`Celu`]: burn::nn::activation::Celu
//! [`Selu`]: burn::nn::activation::Selu

mod activation;
mod burn_nn;
pub(super) mod call;
mod copies;
mod exponential;
mod layers;
mod options;
mod sides;

pub use activation::{InplaceActivation, Overwritten};
pub use copies::copies;
pub use layers::{InplaceLayers, keeps_output};
pub use options::Inplace;
