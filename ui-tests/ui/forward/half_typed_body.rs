//! A body that does not parse: one error at the place, and the impl as it is, so that an editor can complete it.
//!
//! The other errors are those that rustc gives for the impl without the attribute.

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
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let h = self.up.
    }
}

fn main() {}
