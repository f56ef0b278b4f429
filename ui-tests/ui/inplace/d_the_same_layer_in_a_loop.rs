//! The output of the round before.

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
    pub fn forward(&self, mut x: Tensor<2>) -> Tensor<2> {
        for _ in 0..2 {
            x = self.relu.forward(x);
        }
        x
    }
}

fn main() {}
