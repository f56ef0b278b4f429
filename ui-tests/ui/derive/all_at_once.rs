//! All mistakes in a struct are reported in one go, and nothing but them.

use burn::module::Module;
use burn::nn::{Gelu, LayerNorm, Linear};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
#[checkpoint]
#[remat(krate = ::remat)]
struct Block {
    #[remat(checkpoint)]
    norm: LayerNorm,
    #[checkpoint(determinstic)]
    up: Linear,
    #[checkpoint]
    #[checkpoint]
    gelu: Gelu,
    #[checkpoint = true]
    down: Linear,
    #[checkpoint]
    width: usize,
}

// Nothing is reported here.
#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let h = self.up.forward(self.norm.forward(x));
        self.down.forward(self.gelu.forward(h)) / self.width as f64
    }
}

fn main() {}
