//! I04: a parameter.

use burn::module::{Module, Param};
use burn::nn::Relu;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    relu: Relu,
    bias: Param<Tensor<2>>,
}

#[remat::forward]
impl Net {
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.relu.forward(self.bias.val()) + x
    }
}

fn main() {}
