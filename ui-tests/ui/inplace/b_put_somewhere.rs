//! A clone that was put where nobody can follow.

use burn::module::Module;
use burn::nn::Relu;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    relu: Relu,
}

fn slot() -> &'static mut Tensor<2> {
    unimplemented!()
}

#[remat::forward]
impl Net {
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        *slot() = x.clone();
        self.relu.forward(x)
    }
}

fn main() {}
