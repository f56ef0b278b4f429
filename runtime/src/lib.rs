//! Fit bigger models and batches into the memory you have: activation checkpointing for
//! [burn](burn), by annotation.
//!
//! ```
//! use burn::module::Module;
//! use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
//! use burn::nn::{LayerNorm, LayerNormConfig};
//! use burn::tensor::{Device, Tensor};
//! use remat::Remat;
//!
//! #[derive(Module, Debug, Remat)]
//! pub struct Block {
//!     norm: LayerNorm,
//!     #[checkpoint] // keep only the input, run the layer again in the backward pass
//!     attention: MultiHeadAttention,
//! }
//!
//! #[remat::forward] // plain burn code: the calls of annotated fields are rewritten
//! impl Block {
//!     pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
//!         let h = self.norm.forward(x.clone());
//!         x + self.attention.forward(MhaInput::self_attn(h)).context
//!     }
//! }
//!
//! let device = Device::flex().autodiff();
//! let block = Block {
//!     norm: LayerNormConfig::new(8).init(&device),
//!     attention: MultiHeadAttentionConfig::new(8, 2).init(&device),
//! };
//! let x = Tensor::<3>::ones([1, 4, 8], &device);
//! let grads = block.forward(x).sum().backward();
//! assert!(block.norm.gamma.val().grad(&grads).is_some());
//! ```
//!
//! # What is here
//!
//! * [`#[derive(Remat)]`](derive@Remat) and [`#[remat::forward]`](macro@forward): the annotations.
//!   They write nothing that you could not write with [`checkpoint`] yourself.
//! * [`checkpoint`], [`checkpoint_with`]: the strategy by hand.
//! * [`TensorTree`]: what a checkpointed call may take and give; derive it for your own types.
//! * [`without_strategies`]: the same model as plain burn, for comparing.
//! * [`memory`]: what a piece of a training step keeps, in bytes.
//! * [`tape`]: custom nodes and vector-Jacobian products on burn's autodiff, for strategies of your
//!   own.
//!
//! # What it costs
//!
//! A checkpointed layer runs forward twice a step. Its inputs are kept until the backward pass, and
//! while its backward pass runs, so are its own activations: annotate layers that keep much more
//! than their input, such as whole transformer blocks, and a few large ones rather than many small.
//!
//! # Backends
//!
//! Name the same backend features for `remat` as for `burn` (`flex` is the default of both); a
//! tensor of a backend that remat was not told of is an error that names the feature. On backends
//! that choose their kernels while running (cubecl's autotune) a second run may round differently
//! in the last bits, as it may for two equal calls in burn itself; elsewhere gradients are those of
//! plain burn to the bit.

// Generated code names the crate `::remat`, also in this crate's own documentation and tests.
extern crate self as remat;

pub mod memory;
mod random;
mod strategy;
pub mod tape;
mod tree;

pub use remat_macros::{Remat, TensorTree, forward};
pub use strategy::{Checkpoint, Layer, checkpoint, checkpoint_with, without_strategies};
pub use tree::{TensorMapper, TensorTree, TensorVisitor};

/// For generated code only.
#[doc(hidden)]
pub mod __private {
    pub use remat_macros::__forward as forward;
}
