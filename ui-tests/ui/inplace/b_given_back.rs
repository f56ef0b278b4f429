//! A function that nobody knows may give back what it is given.

use burn::module::Module;
use burn::nn::Relu;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    relu: Relu,
}

fn same(x: Tensor<2>) -> Tensor<2> {
    x
}

#[remat::forward]
impl Net {
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let h = same(x.clone());
        self.relu.forward(h) + x
    }
}

fn main() {}
