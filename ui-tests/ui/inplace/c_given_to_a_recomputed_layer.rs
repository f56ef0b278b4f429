//! A recomputed layer keeps its input.

use burn::module::Module;
use burn::nn::{LayerNorm, Relu};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    relu: Relu,
    #[recompute(cheap)]
    norm: LayerNorm,
}

#[remat::forward]
impl Net {
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self.norm.forward(x.clone());
        h + self.relu.forward(x)
    }
}

fn main() {}
