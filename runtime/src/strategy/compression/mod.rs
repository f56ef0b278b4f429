//! Values that are kept in few bits: what `quantize` does, and segments do with their inputs.

mod approximate;
mod cache;
mod compressed;
mod options;
mod selection;

pub(super) use approximate::{approximating, are_approximate};
pub(super) use compressed::Compressed;
pub use options::Quantize;
pub(super) use selection::{Selection, run_with, seen_by};

use crate::random::next_rounding_seed;
use crate::tape::{Parent, ParentId, SavedAs, save_as};
use crate::tree::{TensorMapper, TensorTree};
use burn::tensor::{Device, Tensor};

impl Quantize {
    /// The same tensors, of which consumers keep compressed values.
    pub(super) fn tree<I: TensorTree>(self, inputs: &I) -> I {
        inputs.map_tensors(&mut Tree(self))
    }

    /// The same tensor, of which consumers keep a compressed value.
    ///
    /// Leaves stay as they are: somebody holds their values in any case.
    pub(super) fn tensor<const D: usize>(self, tensor: Tensor<D>) -> Tensor<D> {
        let parent = Parent::of(&tensor).filter(|_| !tensor.is_require_grad());
        let Some(compressed) =
            parent.and_then(|parent| self.value(parent.id(), &tensor, &tensor.device()))
        else {
            return tensor;
        };
        let (restore, marker) = approximating(move |_| compressed.restore::<D>());
        marker.mark(save_as(tensor, SavedAs::new(restore)))
    }

    /// The value of the tensor of a graph with that id, compressed: once, however often it is asked for. `None` if it is
    /// to stay as it is.
    pub(super) fn value<const D: usize>(
        self,
        id: ParentId,
        value: &Tensor<D>,
        device: &Device,
    ) -> Option<Compressed> {
        let large = value.shape().num_elements() >= self.min_elements;
        if !large || !value.dtype().is_float() || !selection::selects(self.name) {
            return None;
        }
        Some(cache::compressed(id, self.form, |entry| {
            let seed = self.form.draws().then(|| next_rounding_seed(device).value);
            let value = value.clone().inner();
            Compressed::of(self.form, value, seed.unwrap_or_default(), entry)
        }))
    }
}

struct Tree(Quantize);

impl TensorMapper for Tree {
    fn map_float<const D: usize>(&mut self, tensor: Tensor<D>) -> Tensor<D> {
        self.0.tensor(tensor)
    }
}
