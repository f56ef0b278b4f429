//! Fields of types that have no `forward`: found in the syntax, and reported at the part of the type that is meant.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    width: usize,
    #[checkpoint]
    name: String,
    #[checkpoint]
    scale: Param<Tensor<1>>,
    #[checkpoint]
    mask: Option<Tensor<2>>,
    #[checkpoint]
    rates: Vec<f64>,
    // Legal: one of them is a layer.
    #[checkpoint]
    both: (Linear, f64),
}

// Nothing is reported here.
#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.both.0.forward(x) * self.scale.val().unsqueeze()
    }
}

fn main() {}
