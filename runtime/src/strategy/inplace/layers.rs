//! The layers of a field with `#[inplace]`, known by their type.

use super::activation::InplaceActivation;
use std::marker::PhantomData;

/// A layer that can be in place, or a container of such layers: what a field with `#[inplace]` holds.
///
/// `Kind` is found by rustc; it tells a layer from a container of layers.
///
/// ```
/// use burn::nn::Relu;
/// use remat::inplace::InplaceLayers;
///
/// fn keeps_output<L: InplaceLayers<Kind>, Kind>(_: &L) -> bool {
///     L::KEEPS_OUTPUT
/// }
///
/// assert!(keeps_output(&vec![Some(Relu::new())]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no layers that can overwrite their input",
    label = "no layers that can be in place"
)]
pub trait InplaceLayers<Kind> {
    /// Whether one of them [keeps its output](InplaceActivation::KEEPS_OUTPUT).
    const KEEPS_OUTPUT: bool;
}

/// The kind of a layer.
pub struct Layer;

/// The kind of a container of what is of another kind.
pub struct Container<Kind>(PhantomData<Kind>);

impl<A: InplaceActivation> InplaceLayers<Layer> for A {
    const KEEPS_OUTPUT: bool = A::KEEPS_OUTPUT;
}

impl<L: InplaceLayers<Kind>, Kind> InplaceLayers<Container<Kind>> for Option<L> {
    const KEEPS_OUTPUT: bool = L::KEEPS_OUTPUT;
}

impl<L: InplaceLayers<Kind>, Kind> InplaceLayers<Container<Kind>> for Vec<L> {
    const KEEPS_OUTPUT: bool = L::KEEPS_OUTPUT;
}

impl<L: InplaceLayers<Kind>, Kind> InplaceLayers<Container<Kind>> for [L] {
    const KEEPS_OUTPUT: bool = L::KEEPS_OUTPUT;
}

impl<L: InplaceLayers<Kind>, Kind, const N: usize> InplaceLayers<Container<Kind>> for [L; N] {
    const KEEPS_OUTPUT: bool = L::KEEPS_OUTPUT;
}

impl<L: InplaceLayers<Kind> + ?Sized, Kind> InplaceLayers<Container<Kind>> for Box<L> {
    const KEEPS_OUTPUT: bool = L::KEEPS_OUTPUT;
}

/// Whether the layers of a field keep their output ([`InplaceActivation::KEEPS_OUTPUT`]). `field` tells which field it is,
/// and is never called.
///
/// `#[remat::forward]` writes it where a layer in place would overwrite what an earlier one has given, which must not keep
/// that. It does not know the types of the fields; rustc does:
///
/// ```compile_fail,E0080
/// # use burn::{module::Module, nn::Relu, tensor::Tensor};
/// # use remat::{InplaceActivation, Remat};
/// #[derive(Module, Debug, Remat)]
/// struct Block<A: Module> {
///     #[inplace]
///     first: A,
///     #[inplace]
///     second: Relu,
/// }
///
/// #[remat::forward]
/// impl<A: Module + InplaceActivation> Block<A> {
///     fn forward(&self, x: Tensor<2>) -> Tensor<2> {
///         self.second.forward(self.first.forward(x)) // not if `first` keeps its output
///     }
/// }
///
/// let block = Block { first: Relu::new(), second: Relu::new() };
/// block.forward(Tensor::zeros([1, 1], &Default::default()));
/// ```
///
/// ```
/// use burn::nn::Relu;
/// use remat::inplace::keeps_output;
/// use remat::nn::Dropout;
///
/// struct Block {
///     relu: Relu,
///     dropouts: Vec<Dropout>,
/// }
///
/// const _: () = assert!(keeps_output(|block: &Block| &block.relu));
/// const _: () = assert!(!keeps_output(|block: &Block| &block.dropouts));
/// ```
#[must_use]
pub const fn keeps_output<M, L, Kind>(_field: fn(&M) -> &L) -> bool
where
    L: InplaceLayers<Kind> + ?Sized,
{
    L::KEEPS_OUTPUT
}
