//! `remat::checkpoint` by hand, with a closure that captures a tensor: its gradient would be lost.

use burn::nn::Linear;
use burn::tensor::Tensor;

fn forward(linear: &Linear, x: Tensor<3>, residual: Tensor<3>) -> Tensor<3> {
    remat::checkpoint(linear, (x,), |linear, (x,)| linear.forward(x) + residual)
}

fn main() {}
