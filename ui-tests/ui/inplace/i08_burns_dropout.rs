//! I08: what is drawn anew could not be drawn again: burn's dropout keeps its mask instead.

use burn::module::Module;
use burn::nn::Dropout;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
pub struct Net {
    #[inplace]
    dropout: Dropout,
}

#[remat::forward]
impl Net {
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.dropout.forward(x)
    }
}

fn main() {}
