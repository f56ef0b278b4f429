//! A layer in place has one form of call.

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
    pub fn nothing(&self) -> Tensor<2> {
        self.relu.forward()
    }

    pub fn another(&self, x: Tensor<2>) -> Tensor<2> {
        self.relu.forward_twice(x)
    }
}

fn main() {}
