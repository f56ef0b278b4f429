//! Fit bigger models and batches into the memory you have: recomputing activations for
//! [burn], by annotation.
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
//! * [`checkpoint`], [`checkpoint_with`] and its options [`Checkpoint`]: the strategy by hand, on any
//!   [`Layer`].
//! * [`checkpoint_sequence`] and [`Segments`]: groups of consecutive layers as segments.
//! * [`checkpoint_early_stop`] and [`tail`]: a second run without its last product.
//! * [`recompute`], [`recompute_with`] and its options [`Recompute`]: outputs that are computed again.
//! * [`recompute_attention`] and [`nn::Attention`]: attention without its tensors of queries × keys.
//! * [`frozen_stats`] and its options [`FrozenStats`]: batch normalisation with the running statistics, in training.
//! * [`quantize()`] and its options [`Quantize`]: what layers keep, in a few bits, and [what that does to
//!   gradients](quantize::compare). [`mod@quantize`]: tensors in a few bits, by themselves.
//! * [`autocast`], [`autocast_attention`] and options [`Autocast`]: layers in 16 bits, with a model in f32. [`amp`]:
//!   precisions, casts that calls share ([`amp::CastScope`]), and loss scaling for f16: [`amp::GradScaler`].
//! * [`inplace()`] and its options [`Inplace`]: activations that overwrite their input. [`mod@inplace`]: which ones can.
//! * [`train`]: accumulating gradients ([`train::Accumulator`]), clipping them in their own buffers, and a loop that saves
//!   and resumes to the bit ([`train::TrainLoop`]).
//! * [`nn`]: layers that burn lacks: [`nn::Dropout`], which keeps no mask, [`nn::Softmax`].
//! * [`TensorTree`]: what a checkpointed call may take and give; derive it for your own types.
//! * [`without_strategies`]: the same model as plain burn, for comparing.
//! * [`memory`]: what a piece of a training step keeps and needs, in bytes.
//! * [`tape`]: custom nodes and vector-Jacobian products on burn's autodiff, for strategies of your
//!   own.
//!
//! # What it costs
//!
//! A checkpointed layer runs forward twice a step. Its inputs are kept until the backward pass, and
//! while its backward pass runs, so are its own activations: annotate layers that keep much more
//! than their input, such as whole transformer blocks, and a few large ones rather than many small.
//!
//! Groups of layers keep fewer inputs, and need the activations of a whole group while it runs
//! again: [`Segments`] has the table.
//!
//! # Backends
//!
//! Name the same backend features for `remat` as for `burn` (`flex` is on by default here, not in
//! burn). A tensor of a backend that remat was not built for is a panic that names the feature. On backends
//! that choose their kernels while running (cubecl's autotune) a second run may round differently
//! in the last bits, as it may for two equal calls in burn itself; elsewhere gradients are those of
//! plain burn to the bit ([`checkpoint`] says where the order of a sum may differ).

// Generated code names the crate `::remat`, also in this crate's own documentation and tests.
extern crate self as remat;

/// The example of the README, which is to compile as it stands there.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

pub mod amp;
mod host;
pub mod memory;
pub mod nn;
pub mod quantize;
mod random;
mod reads;
mod strategy;
pub mod tape;
pub mod train;
mod tree;

/// ```
/// use burn::module::Module;
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::{Device, Tensor};
///
/// #[derive(Module, Debug, remat::Remat)]
/// struct Stack {
///     #[checkpoint] // each layer is a segment of its own
///     layers: Vec<Linear>,
///     #[checkpoint(deterministic)] // draws no random numbers
///     head: Option<Linear>,
/// }
///
/// #[remat::forward]
/// impl Stack {
///     fn forward(&self, mut x: Tensor<2>) -> Tensor<2> {
///         for layer in &self.layers {
///             x = layer.forward(x).tanh();
///         }
///         match &self.head {
///             Some(head) => head.forward(x),
///             None => x,
///         }
///     }
/// }
///
/// let device = Device::flex().autodiff();
/// let linear = || LinearConfig::new(4, 4).init(&device);
/// let stack = Stack { layers: vec![linear(), linear()], head: Some(linear()) };
/// let x = Tensor::ones([1, 4], &device);
/// let plain = remat::without_strategies(|| stack.forward(x.clone()));
/// assert_eq!(stack.forward(x).to_data(), plain.to_data());
/// ```
///
/// Groups of layers, a tail that is not computed again, and a `forward` that is written for you:
///
/// ```
/// use burn::module::Module;
/// use burn::nn::{Gelu, Linear, LinearConfig};
/// use burn::tensor::{Device, Tensor};
/// use remat::Remat;
///
/// #[derive(Module, Debug, Remat)]
/// struct Block {
///     up: Linear,
///     gelu: Gelu,
///     #[remat(tail)] // its output is only added to `x`
///     down: Linear,
/// }
///
/// #[remat::forward]
/// impl Block {
///     fn forward(&self, x: Tensor<2>) -> Tensor<2> {
///         let h = self.gelu.forward(self.up.forward(x.clone()));
///         x + self.down.forward(h)
///     }
/// }
///
/// #[derive(Module, Debug, Remat)]
/// #[remat(sequential(Tensor<2> -> Tensor<2>))]
/// struct Stack {
///     embed: Linear,
///     #[checkpoint(every = 2, early_stop)] // two blocks are one segment
///     blocks: Vec<Block>,
///     #[remat(skip)]
///     width: usize,
/// }
///
/// let device = Device::flex().autodiff();
/// let linear = |from, to| LinearConfig::new(from, to).init(&device);
/// let block = || Block { up: linear(4, 8), gelu: Gelu::new(), down: linear(8, 4) };
/// let stack = Stack {
///     embed: linear(3, 4),
///     blocks: (0..4).map(|_| block()).collect(),
///     width: 4,
/// };
/// let x = Tensor::ones([1, 3], &device);
/// let grads = stack.forward(x).sum().backward();
/// assert!(stack.embed.weight.val().grad(&grads).is_some());
/// ```
///
/// Products in bf16, with parameters in f32:
///
/// ```
/// use burn::module::Module;
/// use burn::nn::{Gelu, LayerNorm, LayerNormConfig, Linear, LinearConfig};
/// use burn::tensor::{DType, Device, Tensor};
/// use remat::Remat;
///
/// #[derive(Module, Debug, Remat)]
/// #[autocast(bf16)] // for the layers that gain by it: the norm stays in f32
/// struct Mlp {
///     norm: LayerNorm,
///     up: Linear,
///     #[recompute(cheap)]
///     gelu: Gelu,
///     down: Linear,
/// }
///
/// #[remat::forward]
/// impl Mlp {
///     fn forward(&self, x: Tensor<2>) -> Tensor<2> {
///         let h = self.up.forward(self.norm.forward(x.clone()));
///         x + self.down.forward(self.gelu.forward(h))
///     }
/// }
///
/// let device = Device::flex().autodiff();
/// let mlp = Mlp {
///     norm: LayerNormConfig::new(4).init(&device),
///     up: LinearConfig::new(4, 8).init(&device),
///     gelu: Gelu::new(),
///     down: LinearConfig::new(8, 4).init(&device),
/// };
/// let y = mlp.forward(Tensor::ones([1, 4], &device));
/// assert_eq!(y.dtype(), DType::F32);
/// let gradient = mlp.up.weight.val().grad(&y.sum().backward()).unwrap();
/// assert_eq!(gradient.dtype(), DType::F32);
/// ```
pub use remat_macros::Remat;

/// ```
/// use burn::module::Module;
/// use burn::nn::{Lstm, LstmConfig, LstmState};
/// use burn::tensor::{Device, Tensor};
///
/// #[derive(Module, Debug, remat::Remat)]
/// struct Encoder {
///     #[checkpoint]
///     lstm: Lstm,
/// }
///
/// trait Sequence {
///     fn encode(&self, x: Tensor<3>) -> Tensor<2>;
/// }
///
/// #[remat::forward]
/// impl Sequence for Encoder {
///     fn encode(&self, x: Tensor<3>) -> Tensor<2> {
///         let (_, LstmState { hidden, .. }) = self.lstm.forward(x, None);
///         hidden
///     }
/// }
///
/// let device = Device::flex().autodiff();
/// let encoder = Encoder { lstm: LstmConfig::new(4, 8, true).init(&device) };
/// let hidden = encoder.encode(Tensor::ones([2, 3, 4], &device));
/// assert_eq!(hidden.dims(), [2, 8]);
/// ```
pub use remat_macros::forward;

/// ```
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::{Bool, Device, Tensor};
/// use remat::TensorTree;
///
/// #[derive(TensorTree)]
/// enum Input {
///     Plain(Tensor<2>),
///     Masked { values: Tensor<2>, mask: Tensor<2, Bool> },
/// }
///
/// let device = Device::flex().autodiff();
/// let linear = LinearConfig::new(4, 4).init(&device);
/// let x = Tensor::<2>::ones([1, 4], &device);
/// let input = Input::Masked { mask: x.clone().greater_elem(0.5), values: x };
///
/// let y = remat::checkpoint(&linear, (input,), |linear: &Linear, (input,)| match input {
///     Input::Plain(values) => linear.forward(values),
///     Input::Masked { values, mask } => linear.forward(values.mask_fill(mask, 0.0)),
/// });
/// assert!(y.is_tracked());
/// ```
pub use remat_macros::TensorTree;

pub use quantize::Rounding;
#[doc(hidden)]
pub use strategy::Passes;
pub use strategy::inplace::{Inplace, InplaceActivation};
pub use strategy::{
    Autocast, Checkpoint, CheckpointSequence, FrozenStats, HasTail, IgnoresValue, Layer,
    NotComputed, Quantize, Recompute, RecomputeAttention, Returned, Segments, TailLayer,
    TooManySegments, autocast, autocast_attention, autocast_attention_with, autocast_with,
    checkpoint, checkpoint_early_stop, checkpoint_sequence, checkpoint_sequence_early_stop,
    checkpoint_sequence_with, checkpoint_with, frozen_stats, frozen_stats_with, inplace,
    inplace_with, pass, quantize, recompute, recompute_attention, recompute_attention_with,
    recompute_with, returned, tail, without_strategies,
};
pub use tree::{TensorMapper, TensorTree, TensorVisitor};

/// For generated code only.
#[doc(hidden)]
pub mod __private {
    pub use crate::nn::IsMhaInput;
    pub use remat_macros::__forward as forward;
}
