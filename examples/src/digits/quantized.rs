//! The same kind of model, with everything that it keeps in few bits.

use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig, PaddingConfig2d, Relu};
use burn::tensor::{Device, Tensor};
use remat::Remat;

use super::data::{CLASSES, WIDTH};

const CHANNELS: usize = 16;
const BLOCKS: usize = 4;

/// A convolutional network that keeps `BITS` bits of an element, and one bit of a `Relu`'s input.
#[derive(Module, Debug, Remat)]
pub struct QuantizedCnn<const BITS: u32> {
    blocks: Vec<QuantizedBlock<BITS>>,
    #[quantize(bits = BITS)]
    pool: MaxPool2d,
    #[quantize(bits = BITS)]
    head: Linear,
}

/// A convolution, normalised over the batch.
#[derive(Module, Debug, Remat)]
struct QuantizedBlock<const BITS: u32> {
    #[quantize(bits = BITS)]
    conv: Conv2d,
    // Its range moves as it learns: each batch is measured by itself.
    #[quantize(bits = BITS)]
    norm: BatchNorm,
    #[quantize(bits = 1)] // exact
    relu: Relu,
}

impl<const BITS: u32> QuantizedCnn<BITS> {
    /// A model with fresh parameters.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        let channels = |block| if block == 0 { 1 } else { CHANNELS };
        let blocks = (0..BLOCKS).map(|block| QuantizedBlock::new(channels(block), device));
        let features = CHANNELS * (WIDTH / 2) * (WIDTH / 2);
        Self {
            blocks: blocks.collect(),
            pool: MaxPool2dConfig::new([2, 2]).init(),
            head: LinearConfig::new(features, CLASSES).init(device),
        }
    }
}

#[remat::forward]
impl<const BITS: u32> QuantizedCnn<BITS> {
    /// Images `[batch, 1, 8, 8]` to the scores `[batch, 10]` of the digits.
    #[must_use]
    pub fn forward(&self, images: Tensor<4>) -> Tensor<2> {
        let x = self.blocks.iter().fold(images, |x, block| block.forward(x));
        let features = self.pool.forward(x).flatten(1, 3);
        self.head.forward(features)
    }
}

impl<const BITS: u32> QuantizedBlock<BITS> {
    fn new(channels_in: usize, device: &Device) -> Self {
        Self {
            conv: Conv2dConfig::new([channels_in, CHANNELS], [3, 3])
                .with_padding(PaddingConfig2d::Same)
                .with_bias(false) // the normalisation would take it away again
                .init(device),
            norm: BatchNormConfig::new(CHANNELS).init(device),
            relu: Relu::new(),
        }
    }
}

#[remat::forward]
impl<const BITS: u32> QuantizedBlock<BITS> {
    fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        self.relu.forward(self.norm.forward(self.conv.forward(x)))
    }
}
