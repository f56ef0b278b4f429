//! A generic type is a tree where its fields are: the error is at the use.

use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::TensorTree;
use std::time::Instant;

#[derive(TensorTree)]
struct Pair<A, B> {
    first: A,
    second: Vec<B>,
}

fn forward(linear: &Linear, x: Tensor<3>) -> Tensor<3> {
    // Legal.
    let pair = Pair { first: x, second: vec![1.0, 2.0] };
    let x = remat::checkpoint(linear, (pair,), |linear, (pair,)| linear.forward(pair.first) * pair.second[0]);

    let pair = Pair { first: x, second: vec![Instant::now()] };
    remat::checkpoint(linear, (pair,), |linear, (pair,)| linear.forward(pair.first))
}

fn main() {}
