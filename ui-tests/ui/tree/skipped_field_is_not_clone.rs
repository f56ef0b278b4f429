//! A skipped field is handed on as a clone.

use burn::tensor::Tensor;
use remat::TensorTree;

struct Token;

#[derive(TensorTree)]
struct Batch {
    x: Tensor<3>,
    #[remat(skip)]
    token: Token,
}

fn main() {}
