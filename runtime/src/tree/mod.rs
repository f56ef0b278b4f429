//! Tensors inside inputs and outputs.

mod burn_nn;
mod containers;
mod tensors;
mod values;

use burn::tensor::{Bool, Int, Tensor};

/// A value that may hold tensors: what a checkpointed call takes and gives.
///
/// Implemented for tensors of each kind, `()`, tuples of up to twelve, `Option`, `Result`, `Vec`,
/// arrays, `Box`, plain values (numbers, `bool`, `char`, strings, shapes, dtypes, devices) and what
/// burn's layers give: `MhaOutput`, `LstmState`, `RnnState`. (`MhaInput` hides its tensors: build it
/// as the argument of the call.) Derive it for your own types:
///
/// ```
/// use burn::tensor::{Bool, Tensor};
/// use remat::TensorTree;
///
/// #[derive(TensorTree)]
/// struct Batch {
///     tokens: Tensor<3>,
///     mask: Option<Tensor<2, Bool>>,
///     scale: f32,
/// }
/// ```
///
/// Both methods go through the tensors in the same order, each exactly once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an input or output of a checkpointed call",
    label = "remat does not know the tensors inside `{Self}`",
    note = "an input is kept until the backward pass and used again: pass tensors, `Option`, `Vec`, arrays, tuples and plain values",
    note = "for a type of your own add `#[derive(remat::TensorTree)]`; a borrowed or a foreign value has to be built inside the layer",
    note = "a constructor written as the argument itself, as in `self.attention.forward(MhaInput::self_attn(x))`, moves into the checkpoint"
)]
pub trait TensorTree: Sized {
    /// Shows every tensor to the visitor.
    fn visit_tensors<V: TensorVisitor>(&self, visitor: &mut V);

    /// The same value with every tensor replaced by what the mapper makes of it.
    ///
    /// Tensors are handed over as clones, which share their buffers.
    #[must_use]
    fn map_tensors<M: TensorMapper>(&self, mapper: &mut M) -> Self;
}

/// Is shown the tensors of a [`TensorTree`].
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::{TensorTree, TensorVisitor};
///
/// struct Elements(usize);
/// impl TensorVisitor for Elements {
///     fn visit_float<const D: usize>(&mut self, tensor: &Tensor<D>) {
///         self.0 += tensor.shape().num_elements();
///     }
/// }
///
/// let device = Device::flex();
/// let mut elements = Elements(0);
/// (Tensor::<2>::zeros([2, 3], &device), Some(Tensor::<1>::zeros([4], &device)))
///     .visit_tensors(&mut elements);
/// assert_eq!(elements.0, 10);
/// ```
pub trait TensorVisitor {
    /// A float tensor.
    fn visit_float<const D: usize>(&mut self, tensor: &Tensor<D>);

    /// An integer tensor; nothing is done with it by default.
    fn visit_int<const D: usize>(&mut self, tensor: &Tensor<D, Int>) {
        let _ = tensor;
    }

    /// A boolean tensor; nothing is done with it by default.
    fn visit_bool<const D: usize>(&mut self, tensor: &Tensor<D, Bool>) {
        let _ = tensor;
    }
}

/// Replaces the tensors of a [`TensorTree`]; a kind that is not overridden stays as it is.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::{TensorMapper, TensorTree};
///
/// struct Detach;
/// impl TensorMapper for Detach {
///     fn map_float<const D: usize>(&mut self, tensor: Tensor<D>) -> Tensor<D> {
///         tensor.detach()
///     }
/// }
///
/// let x = Tensor::<1>::ones([2], &Device::flex().autodiff()).require_grad();
/// let (detached, scale) = (x * 2.0, 0.5).map_tensors(&mut Detach);
/// assert!(!detached.is_tracked());
/// assert_eq!(scale, 0.5);
/// ```
pub trait TensorMapper {
    /// A float tensor.
    fn map_float<const D: usize>(&mut self, tensor: Tensor<D>) -> Tensor<D> {
        tensor
    }

    /// An integer tensor.
    fn map_int<const D: usize>(&mut self, tensor: Tensor<D, Int>) -> Tensor<D, Int> {
        tensor
    }

    /// A boolean tensor.
    fn map_bool<const D: usize>(&mut self, tensor: Tensor<D, Bool>) -> Tensor<D, Bool> {
        tensor
    }
}
