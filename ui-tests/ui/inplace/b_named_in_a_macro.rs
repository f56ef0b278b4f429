//! Nobody knows what a macro does with it.

use burn::module::Module;
use burn::nn::Relu;
use burn::tensor::Tensor;
use remat::Remat;

macro_rules! keep {
    ($x:ident) => {
        $x.clone()
    };
}

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    relu: Relu,
}

#[remat::forward]
impl Net {
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let h = keep!(x);
        self.relu.forward(x) + h
    }
}

fn main() {}
