//! The procedural macros of `remat`. Depend on `remat`, which exports them with the runtime they need.
//!
//! A macro writes only what a person would write with remat's public functions; what it cannot write that way is an
//! error that says what to write instead. `derive(Remat)` goes through `attr`, `model`, `check` and `expand` (with
//! `options`), and leaves a `table`; `#[remat::forward]` takes the table and rewrites an impl in `forward`; `flow` looks at
//! what layers in place overwrite. `derive(TensorTree)` is in `tree`.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod attr;
mod burn;
mod check;
mod constant;
mod default;
mod error;
mod expand;
mod flow;
mod forward;
mod kind;
mod model;
mod options;
mod sequential;
mod strategy;
mod syntax;
mod table;
mod tree;

#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Declares which layers of a module are checkpointed.
///
/// ```ignore
/// #[derive(Module, Debug, Remat)]
/// pub struct Block {
///     norm: LayerNorm,
///     #[checkpoint]
///     attention: MultiHeadAttention,
/// }
/// ```
///
/// A layer with `#[checkpoint]` keeps only its inputs for the backward pass, and runs again there. An annotation
/// is applied by [`macro@forward`] on the impl that calls the layer; if none does, rustc warns at the annotation.
///
/// * `#[checkpoint]` goes on a field: a module with a `forward` method, or an `Option`, a `Vec` or an array of such.
/// * `#[checkpoint(deterministic)]` says that the layer draws nothing at random.
/// * `#[recompute(cheap)]` on a layer that is cheap to run: its output is not kept, and computed again when a consumer
///   asks for it in the backward pass.
/// * `#[recompute(attention)]` on burn's `MultiHeadAttention`: what is as large as its attention weights is not kept, and
///   computed again in the backward pass.
/// * `#[frozen_stats]` on a `BatchNorm`, or on a module that contains some: in training they normalise with their running
///   statistics, which stay as they are. `#[frozen_stats(update)]` keeps updating them.
/// * `#[quantize(bits = 8)]` on a layer: what it keeps of its inputs for the backward pass is kept compressed.
/// * `#[autocast(bf16)]` on a layer: it computes in bf16, with the parameters that the module has in f32. On the struct: so
///   do those of its layers that gain by it.
/// * `#[inplace]` on an activation: it overwrites its input, where nobody else needs that.
/// * `#[remat(crate = path)]` on the struct names the runtime crate if it is not `::remat`. The path is absolute or
///   starts with `crate`.
///
/// # Groups of layers
///
/// On a `Vec` or an array of layers, consecutive layers can run again together, so that fewer inputs are kept:
///
/// | option | the layers are cut into |
/// |---|---|
/// | `#[checkpoint(every = 4)]` | groups of 4 |
/// | `#[checkpoint(segments = 4)]` | 4 groups of about the same size |
/// | `#[checkpoint(sqrt)]` | as many groups as a group has layers |
/// | `#[checkpoint(recursive)]` | halves, and those again when they run again |
///
/// The number is any constant expression without a comma. `keep_last` in addition, as in
/// `#[checkpoint(sqrt, keep_last)]`, leaves the last group to plain burn: its backward pass comes first.
///
/// # Compressed inputs
///
/// With `#[quantize(..)]`, a layer keeps each element of its inputs in a few bits, from which its gradient is computed.
///
/// | option | |
/// |---|---|
/// | `bits = 8` | bits of an element: 8, 4 or 2, and on burn's `Relu` also 1, the sign |
/// | `group = 64` | the number of neighbouring elements that share a range |
/// | `rounding = nearest` | each element becomes the nearest value that there is |
/// | `rounding = stochastic` | it becomes one of the two next to it, at random, so that the mean is right |
/// | `min_elements = 1024` | tensors with fewer elements are kept as they are |
///
/// `bits` has to be there. The numbers are any constant expressions without a comma.
///
/// # Mixed precision
///
/// `#[autocast(bf16)]`, `#[autocast(f16)]` or `#[autocast(f32)]` on a field says what the layer computes in. Inputs and
/// parameters are cast for the call, and outputs come back as the inputs were; `output = f32` in addition, as in
/// `#[autocast(bf16, output = f32)]`, says what they are handed on in. On the struct it is for the fields that do not say
/// their own, by the names of their types:
///
/// | burn's layers | with `#[autocast(bf16)]` on the struct |
/// |---|---|
/// | `Linear`, convolutions and the like, activations, pooling, dropout | compute in bf16 |
/// | `MultiHeadAttention` | its products in bf16, its softmax in f32 |
/// | normalisation, losses, `Embedding`, encodings, `Softplus`, `LogSigmoid` | in f32, an island if their input is not |
/// | `Lstm` and other recurrent layers, transformers, `CrossAttention` | are an error: burn's do not work in 16 bits. Write `#[autocast(f32)]` on the field |
///
/// Fields of your own types have annotations of their own. The layers of a tuple have one precision. 16 bits on a
/// normalisation or a loss are an error.
///
/// ```ignore
/// #[derive(Module, Debug, Remat)]
/// #[autocast(bf16)]
/// pub struct Block {
///     norm: LayerNorm, // in f32
///     attention: MultiHeadAttention,
///     up: Linear,
///     #[recompute(cheap)]
///     gelu: Gelu,
///     #[autocast(f32)]
///     down: Linear,
/// }
/// ```
///
/// With `#[checkpoint]`, `#[recompute(..)]`, `#[quantize(..)]` and `#[frozen_stats]` on one field, the layer computes in that
/// precision whenever it runs. It does not go with groups of layers, early stop and tails.
///
/// A method that calls such a layer in several places, or in a loop or closure, casts its parameters once:
/// [`macro@forward`] opens a `remat::amp::CastScope` there.
///
/// # Two strategies on one field
///
/// | | with `#[quantize(..)]` |
/// |---|---|
/// | `#[checkpoint]`, also of groups | the kept inputs of the segments are compressed |
/// | `#[recompute(cheap)]` | the kept input is compressed, and the output computed again from that |
/// | `#[recompute(attention)]` | the inputs of the projections, the queries, keys and values, and the weighted sum are compressed |
///
/// `#[autocast(..)]` goes with any of them. Any other two are a compile error, and `#[inplace]` with any other.
///
/// ```ignore
/// #[derive(Module, Debug, Remat)]
/// pub struct Block {
///     #[checkpoint]
///     #[quantize(bits = 8)]
///     attention: MultiHeadAttention,
///     #[quantize(bits = 4, group = 64)]
///     up: Linear,
///     #[quantize(bits = 1)]
///     relu: Relu,
/// }
/// ```
///
/// # In place
///
/// `#[inplace]` is for layers whose gradient follows from their output, or from a bit for each element: burn's `Relu`,
/// `Sigmoid`, `Tanh`, `Elu`, `Celu`, `Selu`; `LeakyRelu`, `Relu6`, `Hardtanh`, `HardSigmoid`; `Dropout`, `Softmax`,
/// `LogSoftmax` and `Scale` of `remat::nn`; and your own `remat::InplaceActivation`s. What is overwritten must have no
/// other handle, so [`macro@forward`] follows the tensors of a method, and it is an error if
///
/// * the input is a clone whose original is still in scope, used or not; or another clone, a view, a tuple, a list, a
///   closure or a temporary has it; or it is what a function gave that nobody knows, and may be what that was given;
/// * a layer or an operation that keeps it for its gradient was given a clone of it, or something nobody knows: a function, a
///   method of yours, a macro;
/// * it is the output of another layer in place which needs it: one whose `InplaceActivation::KEEPS_OUTPUT` is true, as it is
///   for a layer of yours that says nothing. In an impl with parameters, rustc finds that when it builds the method, not when
///   it only checks it;
/// * it is a parameter, a leaf, or lent by the caller. An argument by value is the method's own: whether its caller keeps a
///   clone of it is not seen here, nor what `impl`s without `#[remat::forward]` do. Methods named `forward` or `forward_*` are
///   taken for those of layers, whose outputs are their own. At run time a shared tensor is copied, and
///   `remat::inplace::copies()` counts.
///
/// ```ignore
/// #[derive(Module, Debug, Remat)]
/// pub struct Block {
///     conv: Conv2d,
///     norm: BatchNorm,
///     #[inplace]
///     relu: Relu,
/// }
///
/// #[remat::forward]
/// impl Block {
///     pub fn forward(&self, x: Tensor<4>) -> Tensor<4> {
///         let h = self.norm.forward(self.conv.forward(x.clone())) + x; // a sum keeps nothing
///         self.relu.forward(h)
///     }
/// }
/// ```
///
/// # Early stop
///
/// When a layer runs again, nobody reads the value of its output. If that comes from a product whose result is only
/// added to others, reshaped, sliced and returned, the product need not be computed again: `#[remat(tail)]` marks the
/// layer that it is of (burn's `Linear`, or a `remat::TailLayer`), and `#[checkpoint(early_stop)]` on a field of such
/// blocks uses it. A method that needs the value of a tail does not compile, nor does `early_stop` where there is no tail
/// (`remat::HasTail`, which the derive implements for a struct with one).
///
/// ```ignore
/// #[derive(Module, Debug, Remat)]
/// pub struct Block {
///     norm: LayerNorm,
///     up: Linear,
///     gelu: Gelu,
///     #[remat(tail)]
///     down: Linear,
/// }
///
/// #[derive(Module, Debug, Remat)]
/// pub struct Stack {
///     #[checkpoint(early_stop)] // also with `every = 2` and the like
///     blocks: Vec<Block>,
/// }
/// ```
///
/// # Sequential modules
///
/// `#[remat(sequential(..))]` on the struct, with the types of what goes in and comes out, writes `forward` as well: it
/// runs the fields in their order. Lists are run one layer after the other, an `Option` if it is there; `#[remat(skip)]`
/// leaves a field out.
///
/// ```ignore
/// #[derive(Module, Debug, Remat)]
/// #[remat(sequential(Tensor<2> -> Tensor<2>))]
/// pub struct Mlp {
///     up: Linear,
///     #[checkpoint(every = 2)]
///     blocks: Vec<Block>,
///     head: Option<Linear>,
///     #[remat(skip)]
///     size: usize,
/// }
///
/// // What it writes, and hands to `#[remat::forward]`:
/// impl Mlp {
///     /// Runs the layers in the order of the fields.
///     pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
///         let x = self.up.forward(x);
///         let mut x = x;
///         for layer in &self.blocks {
///             x = layer.forward(x);
///         }
///         match &self.head {
///             Some(layer) => layer.forward(x),
///             None => x,
///         }
///     }
/// }
/// ```
#[proc_macro_derive(
    Remat,
    attributes(
        checkpoint,
        recompute,
        frozen_stats,
        autocast,
        quantize,
        inplace,
        remat
    )
)]
pub fn derive_remat(input: TokenStream) -> TokenStream {
    expand::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// Applies the annotations of a struct to the calls in an `impl`.
///
/// ```ignore
/// #[remat::forward]
/// impl Block {
///     pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
///         let h = self.norm.forward(x.clone());
///         x + self.attention.forward(MhaInput::self_attn(h)).context
///     }
/// }
/// ```
///
/// Calls of methods named `forward` or `forward_*` of an annotated field become what one would write by hand:
///
/// ```ignore
/// x + ::remat::checkpoint_with(
///     Self::ATTENTION_CHECKPOINT_APPLIED_BY_REMAT_FORWARD,
///     &self.attention,
///     (h,),
///     |attention, (h,)| attention.forward(MhaInput::self_attn(h)),
/// )
/// .context
/// ```
///
/// (`::remat::recompute_with` with `#[recompute(cheap)]`, `::remat::frozen_stats_with` with `#[frozen_stats]`,
/// `::remat::autocast_with` with `#[autocast(..)]`, `::remat::quantize` with `#[quantize(..)]` alone.)
///
/// Constructors around the arguments move into the closure; every other expression stays outside and is an input.
/// The field may be indexed, a loop may run over it, a pattern may bind it: `for b in &self.blocks`,
/// `if let Some(f) = &self.f`, `self.blocks.iter().fold(x, |x, b| b.forward(x))`. Where remat cannot follow a field,
/// or see a call, it says so. Everything else is left as it is, token for token.
///
/// # Calls that repeat
///
/// What is cast for a field with `#[autocast(..)]` that the method calls in several places, or in a loop or closure, is
/// kept for the next call until the method returns:
///
/// ```ignore
/// for _ in 0..self.steps {
///     x = self.cell.forward(x);
/// }
///
/// // becomes
/// let _casts = ::remat::amp::CastScope::of(&self.cell);
/// for _ in 0..self.steps {
///     x = ::remat::autocast_with(Self::CELL_AUTOCAST_.., &self.cell, (x,), |cell, (x,)| cell.forward(x));
/// }
/// ```
///
/// A loop over the layers of a list calls each of them once; and for `self.layers[i]`, which may be another layer each
/// time, nothing is written.
///
/// # Attention
///
/// The call of a `MultiHeadAttention` with `#[recompute(attention)]`, or in 16 bits, is written with an input of remat's, because the fields of burn's are
/// private. So the input must be written in the call. (The `let` only names burn's type, so that its import is used.)
///
/// ```ignore
/// self.attention.forward(MhaInput::self_attn(h).mask_attn(mask))
///
/// // becomes
/// ::remat::recompute_attention_with(
///     {
///         let _: MhaInput;
///         Self::ATTENTION_RECOMPUTE_APPLIED_BY_REMAT_FORWARD
///     },
///     &self.attention,
///     ::remat::nn::MhaInput::self_attn(h).mask_attn(mask),
/// )
/// ```
///
/// # Groups of layers
///
/// A loop over a field with `#[checkpoint(every = 4)]` (or `segments`, `sqrt`, `recursive`) becomes one call as a whole:
///
/// ```ignore
/// for layer in &self.layers {
///     x = layer.forward(x, mask.clone());
/// }
///
/// // becomes
/// (x,) = ::remat::checkpoint_sequence_with(
///     Self::LAYERS_CHECKPOINT_APPLIED_BY_REMAT_FORWARD,
///     &self.layers,
///     (x,),
///     (::core::clone::Clone::clone(&mask),),
///     |_, layer, (mut x,), (mask,)| {
///         x = layer.forward(x, mask.clone());
///         (x,)
///     },
/// );
/// ```
///
/// * What the body assigns is carried from layer to layer; of every other variable it gets a copy. It sees nothing else:
///   not `self`. A change in place of something that it does not assign is an error, since it would be lost (what
///   changes behind a shared reference, in a `Cell`, is not seen, and is lost).
/// * The loop is over the whole field: `&self.layers`, `self.layers.iter()` or `(&self.layers).into_iter()`, also with
///   `.enumerate()` and the pattern `(i, layer)`; or it is a `.fold(x, |x, layer| ..)` of those. Any other way to call
///   `forward` of such a layer is an error.
/// * Every layer runs to the end of the body: no `return`, `?` or `break` out of it.
/// * A loop that calls no `forward` of its layers is left as it is.
///
/// # Early stop
///
/// A method that calls a field with `#[remat(tail)]` gets a copy next to it, which is for the second run only:
///
/// ```ignore
/// pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
///     let h = self.gelu.forward(self.up.forward(self.norm.forward(x.clone())));
///     x + self.down.forward(h)
/// }
///
/// // and
/// pub fn forward_without_tail(&self, x: Tensor<2>) -> Tensor<2> {
///     _ = Self::DOWN_TAIL_APPLIED_BY_REMAT_FORWARD;
///     let h = self.gelu.forward(self.up.forward(self.norm.forward(x.clone())));
///     ::remat::returned(x + ::remat::tail(&self.down, h))
/// }
/// ```
///
/// What `::remat::tail` gives is a `remat::NotComputed`, a tensor that has no value: where the method needs one, rustc
/// says that there is none. It may be added to tensors, multiplied by numbers, reshaped, sliced, and pass a field of the
/// type `Dropout`. A call of a field with `#[checkpoint(early_stop)]` becomes `::remat::checkpoint_early_stop`, with
/// `forward_without_tail` for the second run.
#[proc_macro_attribute]
pub fn forward(args: TokenStream, item: TokenStream) -> TokenStream {
    forward::attribute(&args.into(), item.into()).into()
}

/// The second half of [`macro@forward`]: called with the table of a struct and the impl.
#[doc(hidden)]
#[proc_macro]
pub fn __forward(input: TokenStream) -> TokenStream {
    forward::rewrite(input.into()).into()
}

/// Derives `TensorTree`: the tensors inside a type are those inside its fields.
///
/// ```ignore
/// #[derive(TensorTree)]
/// struct AttentionInput {
///     query: Tensor<3>,
///     mask: Option<Tensor<2, Bool>>,
///     #[remat(skip)]
///     name: &'static str,
/// }
/// ```
///
/// * `#[remat(skip)]` on a field: it is no tree, and is handed on as it is.
/// * `#[remat(crate = path)]` on the type, as for [`macro@Remat`].
#[proc_macro_derive(TensorTree, attributes(remat))]
pub fn derive_tensor_tree(input: TokenStream) -> TokenStream {
    tree::derive(&parse_macro_input!(input as DeriveInput)).into()
}
