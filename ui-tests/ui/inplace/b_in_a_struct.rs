//! A struct holds a clone.

use burn::module::Module;
use burn::nn::Relu;
use burn::tensor::Tensor;
use remat::Remat;

struct State {
    hidden: Tensor<2>,
}

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    relu: Relu,
}

#[remat::forward]
impl Net {
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let state = State { hidden: x.clone() };
        self.relu.forward(x) + state.hidden
    }
}

fn main() {}
