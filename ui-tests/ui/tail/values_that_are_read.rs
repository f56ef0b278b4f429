//! The output of a tail goes where its value is needed: by a method, a product, a function, a condition, a wrapper.

use burn::module::Module;
use burn::nn::{LayerNorm, Linear};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    norm: LayerNorm,
    #[remat(tail)]
    down: Linear,
    gate: bool,
}

struct Scores(Tensor<2>);

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self.down.forward(x.clone());
        x * h.tanh()
    }

    fn forward_product(&self, x: Tensor<2>) -> Tensor<2> {
        x.clone() * self.down.forward(x)
    }

    fn forward_add_and_norm(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self.down.forward(x.clone());
        self.add(x, h)
    }

    fn forward_in_a_loop(&self, mut x: Tensor<2>) -> Tensor<2> {
        for _ in 0..2 {
            x = self.down.forward(x);
        }
        x
    }

    fn forward_guarded(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self.down.forward(x.clone());
        match self.gate {
            true if h.clone().sum().into_scalar::<f32>() > 0.0 => h,
            _ => x + h,
        }
    }

    fn forward_wrapped(&self, x: Tensor<2>) -> Tensor<2> {
        Scores(self.down.forward(x)).0
    }
}

impl Block {
    fn add(&self, x: Tensor<2>, h: Tensor<2>) -> Tensor<2> {
        self.norm.forward(x + h)
    }
}

fn main() {}
