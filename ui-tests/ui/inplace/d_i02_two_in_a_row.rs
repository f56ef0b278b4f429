//! I02: a layer in place behind a layer in place.

use burn::module::Module;
use burn::nn::{Relu, Sigmoid};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    relu: Relu,
    #[inplace]
    sigmoid: Sigmoid,
}

#[remat::forward]
impl Net {
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.sigmoid.forward(self.relu.forward(x))
    }
}

fn main() {}
