//! The pieces of a tensor share its buffer.

use burn::module::Module;
use burn::nn::Relu;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    relu: Relu,
}

#[remat::forward]
impl Net {
    pub fn forward(&self, x: Tensor<2>, mut sum: Tensor<2>) -> Tensor<2> {
        for piece in x.chunk(2, 0) {
            sum = sum + self.relu.forward(piece);
        }
        sum
    }
}

fn main() {}
