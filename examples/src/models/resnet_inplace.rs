//! The residual network, whose Relu overwrites what it is given.

use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig, PaddingConfig2d, Relu};
use burn::tensor::{Device, Tensor};
use remat::Remat;

const BLOCKS: usize = 4;
const CHANNELS: usize = 16;
const CLASSES: usize = 10;

/// Residual blocks between a convolution and a linear layer.
#[derive(Module, Debug)]
pub struct ResnetInplace {
    stem: Conv2d,
    blocks: Vec<InplaceBlock>,
    head: Linear,
}

/// Two normalised convolutions beside a shortcut.
#[derive(Module, Debug, Remat)]
struct InplaceBlock {
    conv: [Conv2d; 2],
    norm: [BatchNorm; 2],
    #[inplace]
    relu: Relu,
}

impl ResnetInplace {
    /// A model with fresh parameters.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        Self {
            stem: conv(1, device),
            blocks: (0..BLOCKS).map(|_| InplaceBlock::new(device)).collect(),
            head: LinearConfig::new(CHANNELS, CLASSES).init(device),
        }
    }

    /// Images `[batch, 1, 8, 8]` to the scores `[batch, 10]` of the digits.
    #[must_use]
    pub fn forward(&self, images: Tensor<4>) -> Tensor<2> {
        let mut x = self.stem.forward(images);
        for block in &self.blocks {
            x = block.forward(x);
        }
        let pooled: Tensor<2> = x.flatten::<3>(2, 3).mean_dim(2).squeeze_dim(2);
        self.head.forward(pooled)
    }
}

impl InplaceBlock {
    fn new(device: &Device) -> Self {
        let norm = || BatchNormConfig::new(CHANNELS).init(device);
        Self {
            conv: [conv(CHANNELS, device), conv(CHANNELS, device)],
            norm: [norm(), norm()],
            relu: Relu::new(),
        }
    }
}

#[remat::forward]
impl InplaceBlock {
    fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let ([conv1, conv2], [norm1, norm2]) = (&self.conv, &self.norm);
        let h = norm1.forward(conv1.forward(x.clone()));
        let h = self.relu.forward(h);
        let h = norm2.forward(conv2.forward(h)) + x;
        self.relu.forward(h)
    }
}

/// Without bias: the normalisation would take it away again.
fn conv(channels_in: usize, device: &Device) -> Conv2d {
    Conv2dConfig::new([channels_in, CHANNELS], [3, 3])
        .with_padding(PaddingConfig2d::Same)
        .with_bias(false)
        .init(device)
}
