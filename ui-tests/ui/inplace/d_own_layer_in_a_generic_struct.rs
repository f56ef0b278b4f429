//! The same in a struct with a parameter, and an impl of one of its types.

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
pub struct Net<T: Module> {
    other: T,
    #[inplace]
    exp: Vec<Exp>,
    #[inplace]
    relu: Relu,
}

#[remat::forward]
impl Net<Relu> {
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self.exp[0].forward(x);
        self.relu.forward(h)
    }
}

fn main() {}
