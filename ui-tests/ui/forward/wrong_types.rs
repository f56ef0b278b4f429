//! rustc's errors about a rewritten call are at the user's tokens: the arguments, the method and the result.
//!
//! An argument of several tokens is reported at the first one: a macro cannot join spans on stable Rust.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    up: Linear,
}

#[remat::forward]
impl Block {
    fn argument(&self, x: Tensor<3>) -> Tensor<3> {
        self.up.forward(x.dims())
    }

    fn count(&self, x: Tensor<3>) -> Tensor<3> {
        self.up.forward(x, 3)
    }

    fn method(&self, x: Tensor<3>) -> Tensor<3> {
        self.up.forward_train(x)
    }

    fn result(&self, x: Tensor<3>) -> usize {
        self.up.forward(x)
    }

    fn name(&self, x: Tensor<3>) -> Tensor<3> {
        self.up.forward(y)
    }
}

fn main() {}
