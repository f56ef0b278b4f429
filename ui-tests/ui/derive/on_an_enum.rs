//! The layers of an enum are no fields: not the enum, its variants, nor what is in them can be annotated.

use burn::module::Module;
use burn::nn::{Gelu, Relu};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
#[checkpoint]
enum Activation {
    #[checkpoint]
    Gelu(Gelu),
    Relu(#[checkpoint] Relu),
}

// Nothing is reported here.
#[remat::forward]
impl Activation {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        match self {
            Self::Gelu(gelu) => gelu.forward(x),
            Self::Relu(relu) => relu.forward(x),
        }
    }
}

fn main() {}
