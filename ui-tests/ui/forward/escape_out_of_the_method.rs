//! A layer that is given away, where a call of it would be missed.

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

#[remat::forward]
impl Block {
    fn up(&self) -> &Linear {
        &self.up
    }

    fn first(&self) -> Option<&Linear> {
        if self.layers.is_empty() {
            return None;
        }
        return self.layers.first();
    }

    fn copy(&self) -> impl Fn() -> Linear {
        || self.up.clone()
    }

    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.up().forward(x)
    }
}

fn main() {}
