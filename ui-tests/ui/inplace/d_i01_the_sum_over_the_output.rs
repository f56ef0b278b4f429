//! I01: the output of ReLU in place is overwritten once more, before the shortcut is added.

use burn::module::Module;
use burn::nn::{Linear, Relu, Sigmoid};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    relu: Relu,
    #[inplace]
    sigmoid: Sigmoid,
    linear: Linear,
}

#[remat::forward]
impl Net {
    pub fn forward(&self, x: Tensor<2>, shortcut: Tensor<2>) -> Tensor<2> {
        let r = self.relu.forward(self.linear.forward(x));
        let r = self.sigmoid.forward(r);
        r + shortcut
    }
}

fn main() {}
