//! A fault in one method does not hide that of the next.

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
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.relu.forward(x.clone()) + x
    }

    pub fn forward_lent(&self, x: &Tensor<2>) -> Tensor<2> {
        self.relu.forward(x.clone())
    }
}

fn main() {}
