//! I02: dropout in place behind ReLU in place.

use burn::module::Module;
use burn::nn::{Linear, Relu};
use burn::tensor::Tensor;
use remat::Remat;
use remat::nn::Dropout;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    relu: Relu,
    #[inplace]
    dropout: Dropout,
    linear: Linear,
}

#[remat::forward]
impl Net {
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self.relu.forward(self.linear.forward(x));
        self.dropout.forward(h)
    }
}

fn main() {}
