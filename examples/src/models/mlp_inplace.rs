//! The network of linear layers, whose Relu overwrites what it is given.

use burn::module::Module;
use burn::nn::{Linear, LinearConfig, Relu};
use burn::tensor::{Device, Tensor};
use remat::Remat;

/// Linear layers of one width, with Relu after each.
#[derive(Module, Debug, Remat)]
pub struct MlpInplace {
    layers: Vec<Linear>,
    #[inplace]
    relu: Relu,
}

impl MlpInplace {
    /// A network with fresh parameters.
    #[must_use]
    pub fn new(layers: usize, width: usize, device: &Device) -> Self {
        let linear = |_| LinearConfig::new(width, width).init(device);
        Self {
            layers: (0..layers).map(linear).collect(),
            relu: Relu::new(),
        }
    }
}

#[remat::forward]
impl MlpInplace {
    /// `[batch, width]` in and out.
    #[must_use]
    pub fn forward(&self, mut x: Tensor<2>) -> Tensor<2> {
        for linear in &self.layers {
            x = self.relu.forward(linear.forward(x));
        }
        x
    }
}
