//! `#[remat(..)]` in a `TensorTree` with what is no option of it, or at the wrong place.

use burn::tensor::Tensor;
use remat::TensorTree;

#[derive(TensorTree)]
#[remat(skip)]
struct Batch {
    #[remat(skp)]
    x: Tensor<3>,
    #[remat(skip, skip)]
    twice: usize,
    #[remat(skip = true)]
    valued: usize,
    #[remat]
    empty: usize,
}

#[derive(TensorTree)]
enum Sample {
    #[remat(skip)]
    Text(Tensor<2>),
}

fn main() {}
