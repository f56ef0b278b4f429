//! The output of a tail goes where its value is needed.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    norm: Linear,
    #[remat(tail)]
    down: Linear,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self.down.forward(x.clone());
        x * h.tanh()
    }

    fn forward_in_a_loop(&self, mut x: Tensor<2>) -> Tensor<2> {
        for _ in 0..2 {
            x = self.down.forward(x);
        }
        x
    }
}

fn main() {}
