//! What the function that a call with `#[frozen_stats]` becomes cannot do.

use burn::module::Module;
use burn::nn::BatchNorm;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[frozen_stats]
    norm: BatchNorm,
    #[frozen_stats]
    backbone: Backbone,
}

#[derive(Module, Debug)]
struct Backbone {
    norm: BatchNorm,
}

impl Backbone {
    fn forward(&self, x: &Tensor<2>) -> Tensor<2> {
        self.norm.forward(x.clone())
    }

    async fn forward_async(&self, x: Tensor<2>) -> Tensor<2> {
        self.norm.forward(x)
    }
}

#[remat::forward]
impl Block {
    fn borrowed(&self, x: Tensor<2>) -> Tensor<2> {
        self.backbone.forward(&x)
    }

    async fn asynchronous(&self, x: Tensor<2>) -> Tensor<2> {
        self.backbone.forward_async(x).await
    }

    fn in_a_macro(&self, x: Tensor<2>) -> Vec<Tensor<2>> {
        vec![self.norm.forward(x)]
    }
}

fn main() {}
