//! A field in which remat does not find the tensors, and that does not say that there are none.

use burn::tensor::Tensor;
use remat::TensorTree;
use std::time::Instant;

#[derive(TensorTree)]
struct Batch {
    x: Tensor<3>,
    since: Instant,
}

#[derive(TensorTree)]
enum Sample {
    Text(Tensor<2>),
    Timed { x: Tensor<3>, since: Instant },
}

// Legal.
#[derive(TensorTree)]
struct Skipping {
    x: Tensor<3>,
    #[remat(skip)]
    since: Instant,
}

fn main() {}
