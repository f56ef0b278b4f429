//! What a strategy can be applied to.

use burn::module::Module;

/// A burn module that a strategy can run again: every `Module` that borrows nothing.
///
/// Implemented for all of them; there is nothing to implement by hand.
///
/// ```
/// fn takes_a_layer(_: &impl remat::Layer) {}
/// takes_a_layer(&burn::nn::Relu::new());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a burn module, so no memory strategy can be applied to it",
    label = "not a layer",
    note = "annotate a field whose type derives burn's `Module` (and borrows nothing)"
)]
pub trait Layer: Module + 'static {}

#[diagnostic::do_not_recommend]
impl<M: Module + 'static> Layer for M {}
