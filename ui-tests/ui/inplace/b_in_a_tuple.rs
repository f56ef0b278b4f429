//! A tuple holds a clone.

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
        let pair = (x.clone(), 1);
        self.relu.forward(x) + pair.0
    }
}

fn main() {}
