//! A layer of the user's that keeps its output, which is what a layer says that says nothing.

use burn::module::Module;
use burn::nn::Relu;
use burn::tensor::Tensor;
use remat::Remat;
use remat::inplace::{InplaceActivation, Overwritten};

#[derive(Module, Debug)]
pub struct Exp;

impl InplaceActivation for Exp {
    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        x.exp()
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        Overwritten::keeping_output(x.exp(), |y, gradient| gradient * y)
    }
}

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    exp: Vec<Exp>,
    #[inplace]
    relu: Relu,
}

#[remat::forward]
impl Net {
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self.exp[0].forward(x);
        self.relu.forward(h)
    }

    pub fn nested(&self, x: Tensor<2>) -> Tensor<2> {
        self.relu.forward(self.exp[0].forward(x))
    }
}

fn main() {}
