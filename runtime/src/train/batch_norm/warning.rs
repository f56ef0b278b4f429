//! What is said of batch normalisations that are left as they are.

use super::Count;
use burn::module::Module;

/// Says what accumulating does to the model's batch normalisations, if any is in training.
pub(super) fn say<M: Module>(model: &M) -> bool {
    let mut count = Count::default();
    model.visit(&mut count);
    if count.training > 0 {
        eprintln!("{}", text(count.training));
    }
    count.training > 0
}

fn text(norms: usize) -> String {
    format!(
        "remat: gradients accumulate over micro-batches, but {norms} batch normalisation{} each normalise a micro-batch \
         by its own statistics: the gradient is not that of the whole batch, and running statistics move with every \
         micro-batch. Choose `BatchNorms::frozen` or `BatchNorms::accumulated`, or another normalisation.",
        if norms == 1 { "" } else { "s" }
    )
}
