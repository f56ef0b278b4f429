//! What the tests train.

use burn::module::Module;
use burn::nn::{Linear, LinearConfig, Relu};
use burn::tensor::{Device, Tensor};
use remat::Inplace;

/// Linear layers with an activation after each.
#[derive(Module, Debug)]
pub struct Mlp {
    pub layers: Vec<MlpLayer>,
}

#[derive(Module, Debug)]
pub struct MlpLayer {
    linear: Linear,
    relu: Relu,
}

impl Mlp {
    pub fn new(layers: usize, width: usize, device: &Device) -> Self {
        let layer = |_| MlpLayer {
            linear: LinearConfig::new(width, width).init(device),
            relu: Relu::new(),
        };
        Self {
            layers: (0..layers).map(layer).collect(),
        }
    }

    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.layers.iter().fold(x, |x, layer| layer.forward(x))
    }
}

impl MlpLayer {
    pub fn linear_weight(&self) -> Tensor<2> {
        self.linear.weight.val()
    }

    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        remat::inplace_with(
            Inplace::named("MlpLayer.relu"),
            &self.relu,
            self.linear.forward(x),
        )
    }
}
