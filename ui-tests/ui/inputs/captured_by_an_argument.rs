//! A closure among the arguments of an annotated call that captures a variable: it would be lost in the backward pass.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug)]
struct Apply {
    linear: Linear,
}

impl Apply {
    fn forward(&self, x: Tensor<3>, activation: impl Fn(Tensor<3>) -> Tensor<3>) -> Tensor<3> {
        activation(self.linear.forward(x))
    }
}

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    apply: Apply,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>, scale: Tensor<3>) -> Tensor<3> {
        // Not reported: this one captures nothing.
        let x = self.apply.forward(x, |x| x * 2.0);
        self.apply.forward(x, |x| x * scale.clone())
    }
}

fn main() {}
