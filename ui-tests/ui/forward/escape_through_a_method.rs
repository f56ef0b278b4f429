//! A layer that comes out of a method that remat does not know.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    up: Linear,
    #[checkpoint]
    layers: Vec<Linear>,
    down: Linear,
}

trait Inner {
    fn inner(&self) -> &Self {
        self
    }
}

impl Inner for Linear {}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        // Not reported: nothing is called `forward` on it.
        let _ = self.up.inner();
        let x = self.up.inner().forward(x);
        self.layers.chunk_by(|_, _| true).fold(x, |x, layers| layers[0].forward(x))
    }
}

fn main() {}
