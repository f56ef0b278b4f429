//! A field of a tuple struct that is counted from its end.

use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Remat)]
struct Block(#[checkpoint] Linear, Linear, #[checkpoint] Linear);

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let Self(first, .., last) = self;
        last.forward(first.forward(x))
    }

    fn forward_numbered(&self, x: Tensor<3>) -> Tensor<3> {
        let Self { 0: first, 2: last, .. } = self;
        last.forward(first.forward(x))
    }
}

fn main() {}
