//! A quantized layer is given it as well.

use burn::module::Module;
use burn::nn::{Linear, Relu};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    relu: Relu,
    #[quantize(bits = 8)]
    q: Linear,
}

#[remat::forward]
impl Net {
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self.q.forward(x.clone());
        h + self.relu.forward(x)
    }
}

fn main() {}
