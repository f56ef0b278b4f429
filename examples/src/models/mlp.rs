//! A network of linear layers and Relu, in plain burn and with Relu in place.

use burn::module::Module;
use burn::nn::{Linear, LinearConfig, Relu};
use burn::tensor::{Device, Tensor};

/// Rows of the input of `frontier`'s rows.
pub(super) const BATCH: usize = 512;
/// Their width.
pub(super) const WIDTH: usize = 1024;
/// Their layers.
pub(super) const LAYERS: usize = 12;

/// Linear layers of one width, with Relu after each.
#[derive(Module, Debug)]
pub struct Mlp {
    layers: Vec<Linear>,
    relu: Relu,
}

impl Mlp {
    /// A network with fresh parameters.
    #[must_use]
    pub fn new(layers: usize, width: usize, device: &Device) -> Self {
        let linear = |_| LinearConfig::new(width, width).init(device);
        Self {
            layers: (0..layers).map(linear).collect(),
            relu: Relu::new(),
        }
    }

    /// `[batch, width]` in and out.
    #[must_use]
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let mut x = x;
        for linear in &self.layers {
            x = self.relu.forward(linear.forward(x));
        }
        x
    }
}
