//! Layers with a tail inside.

/// A struct whose `forward` ends in a layer with `#[remat(tail)]`, or a container of such structs: what a field with
/// `#[checkpoint(early_stop)]` holds. `#[derive(Remat)]` implements it where there is such a layer.
///
/// A struct that is written without the derive has a `forward_without_tail` of its own, and says so:
///
/// ```
/// use burn::module::Module;
/// use burn::nn::Linear;
/// use burn::tensor::Tensor;
/// use remat::{HasTail, Remat};
///
/// #[derive(Module, Debug)]
/// struct Block {
///     down: Linear,
/// }
///
/// impl Block {
///     fn forward(&self, x: Tensor<2>) -> Tensor<2> {
///         x.clone() + self.down.forward(x)
///     }
///
///     fn forward_without_tail(&self, x: Tensor<2>) -> Tensor<2> {
///         remat::returned(x.clone() + remat::tail(&self.down, x))
///     }
/// }
///
/// impl HasTail for Block {}
///
/// #[derive(Module, Debug, Remat)]
/// struct Stack {
///     #[checkpoint(early_stop)]
///     block: Block,
/// }
///
/// #[remat::forward]
/// impl Stack {
///     pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
///         self.block.forward(x)
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tail, so its second run cannot stop early",
    label = "no layer with `#[remat(tail)]` inside",
    note = "remove `early_stop` from the field, or put `#[remat(tail)]` inside `{Self}`: on the `Linear` whose output its \
            `forward` only adds to others and returns",
    note = "a layer of burn's has no fields to annotate: write a struct with `#[derive(Remat)]` around it, and \
            `#[remat(tail)]` on it there"
)]
pub trait HasTail {}

impl<L: HasTail> HasTail for Option<L> {}
impl<L: HasTail> HasTail for Vec<L> {}
impl<L: HasTail + ?Sized> HasTail for Box<L> {}
impl<L: HasTail> HasTail for [L] {}
impl<L: HasTail, const N: usize> HasTail for [L; N] {}
