//! An option that `#[checkpoint]` does not have: the legal one is listed, and suggested where it is near.

use burn::module::Module;
use burn::nn::{Gelu, Linear};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint(determinstic)]
    up: Linear,
    #[checkpoint(every = 2)]
    gelu: Gelu,
}

// Nothing is reported here: the annotations still count.
#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.gelu.forward(self.up.forward(x))
    }
}

fn main() {}
