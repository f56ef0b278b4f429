//! A view is a handle of the same buffer.

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
        let column = x.clone().reshape([-1, 1]);
        let h = self.relu.forward(x).reshape([-1, 1]);
        h + column
    }
}

fn main() {}
