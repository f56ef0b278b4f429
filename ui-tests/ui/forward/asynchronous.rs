//! A layer that runs again in the backward pass, where nobody would poll a future.

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
    async fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.up.forward(x)
    }

    fn forward_later(&self, x: Tensor<3>) -> impl Future<Output = Tensor<3>> {
        // Not reported: this call is outside.
        let x = self.up.forward(x);
        async move { self.up.forward(x) }
    }

    // Not reported: no annotated call.
    async fn forward_down(&self, x: Tensor<3>) -> Tensor<3> {
        self.down.forward(x)
    }
}

fn main() {}
