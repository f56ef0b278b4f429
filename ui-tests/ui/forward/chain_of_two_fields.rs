//! One loop over the layers of two fields, which need not have the same strategy.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    first: Vec<Linear>,
    second: Vec<Linear>,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.first.iter().chain(&self.second).fold(x, |x, layer| layer.forward(x))
    }

    // Not reported: the layers of one field, in another order.
    fn forward_rotated(&self, x: Tensor<3>) -> Tensor<3> {
        let (head, tail) = self.first.split_at(1);
        tail.iter().chain(head).fold(x, |x, layer| layer.forward(x))
    }
}

fn main() {}
