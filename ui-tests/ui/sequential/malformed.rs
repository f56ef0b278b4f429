//! `sequential` without the types of what goes in and out.

use burn::nn::Linear;
use remat::Remat;

#[derive(Remat)]
#[remat(sequential)]
struct NoTypes {
    up: Linear,
}

#[derive(Remat)]
#[remat(sequential(Tensor<2>))]
struct OneType {
    up: Linear,
}

#[derive(Remat)]
#[remat(seqential(Tensor<2> -> Tensor<2>))]
struct Mistyped {
    up: Linear,
}

fn main() {}
