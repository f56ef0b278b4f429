//! A number of layers that is computed, and wrong: an error at the number.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Stack {
    #[checkpoint(every = 2)]
    layers: Vec<Linear>,
    #[checkpoint(segments = -1)]
    negative: Vec<Linear>,
    #[checkpoint(segments = missing::N)]
    unknown: Vec<Linear>,
}

#[remat::forward]
impl Stack {
    fn forward(&self, mut x: Tensor<2>) -> Tensor<2> {
        for layer in &self.layers {
            x = layer.forward(x);
        }
        x
    }
}

fn main() {}
