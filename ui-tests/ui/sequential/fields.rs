//! Fields of a sequential module that are no layers, and skipped ones.

use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Remat)]
#[remat(sequential(Tensor<2> -> Tensor<2>))]
struct Sizes {
    up: Linear,
    size: usize,
}

#[derive(Remat)]
#[remat(sequential(Tensor<2> -> Tensor<2>))]
struct Empty {
    #[remat(skip)]
    up: Linear,
}

#[derive(Remat)]
#[remat(sequential(Tensor<2> -> Tensor<2>))]
struct Both {
    up: Linear,
    #[checkpoint]
    #[remat(skip)]
    down: Linear,
}

#[derive(Remat)]
#[remat(sequential(Tensor<2> -> Tensor<2>))]
struct Nested {
    up: Option<Vec<Linear>>,
}

#[derive(Remat)]
struct NotSequential {
    #[remat(skip)]
    up: Linear,
}

fn main() {}
