//! Layers that do not fit: no `forward`, another number of arguments, other types.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug)]
struct NoForward {
    up: Linear,
}

#[derive(Module, Debug, Remat)]
#[remat(sequential(Tensor<2> -> Tensor<2>))]
struct Plain {
    up: Linear,
    other: NoForward,
}

#[derive(Module, Debug, Remat)]
#[remat(sequential(Tensor<2> -> Tensor<2>))]
struct Annotated {
    #[checkpoint]
    other: NoForward,
    down: Linear,
}

#[derive(Module, Debug, Remat)]
#[remat(sequential(Tensor<2> -> usize))]
struct Output {
    up: Linear,
}

fn main() {}
