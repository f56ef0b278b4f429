//! The model.

use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::{
    BatchNorm, BatchNormConfig, Dropout, DropoutConfig, Linear, LinearConfig, PaddingConfig2d, Relu,
};
use burn::tensor::{Device, Tensor};
use burn::train::{ClassificationOutput, InferenceStep, TrainOutput, TrainStep};
use remat::Remat;

use super::Batch;
use super::data::{CLASSES, WIDTH};

const BLOCKS: usize = 5;
const CHANNELS: usize = 16;
const DROPOUT: f64 = 0.3;

/// A convolutional network for images of 8x8 pixels.
#[derive(Module, Debug, Remat)]
pub struct Cnn {
    /// Each keeps its input only, and runs again in the backward pass.
    ///
    /// A block draws no random numbers. Promising that leaves the generator alone, so the masks of
    /// the dropout below are those of plain burn.
    #[checkpoint(deterministic)]
    blocks: Vec<ConvBlock>,
    pool: MaxPool2d,
    dropout: Dropout,
    head: Linear,
}

/// Two convolutions, each normalised over the batch.
#[derive(Module, Debug)]
pub struct ConvBlock {
    conv: [Conv2d; 2],
    norm: [BatchNorm; 2],
    relu: Relu,
}

impl Cnn {
    /// A model with fresh parameters.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        let channels = |block| if block == 0 { 1 } else { CHANNELS };
        let blocks = (0..BLOCKS).map(|block| ConvBlock::new(channels(block), device));
        let features = CHANNELS * (WIDTH / 2) * (WIDTH / 2);
        Self {
            blocks: blocks.collect(),
            pool: MaxPool2dConfig::new([2, 2]).init(),
            dropout: DropoutConfig::new(DROPOUT).init(),
            head: LinearConfig::new(features, CLASSES).init(device),
        }
    }

    /// Convolutional blocks in the model.
    #[must_use]
    pub fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The scores of a batch and their mean cross-entropy.
    #[must_use]
    pub fn classify(&self, batch: Batch) -> ClassificationOutput {
        let Batch { images, targets } = batch;
        let scores = self.forward(images);
        let loss = CrossEntropyLossConfig::new().init(&scores.device());
        let loss = loss.forward(scores.clone(), targets.clone());
        ClassificationOutput::new(loss, scores, targets)
    }
}

#[remat::forward]
impl Cnn {
    /// Images `[batch, 1, 8, 8]` to the scores `[batch, 10]` of the digits.
    #[must_use]
    pub fn forward(&self, images: Tensor<4>) -> Tensor<2> {
        let mut x = images;
        for block in &self.blocks {
            x = block.forward(x);
        }
        let features = self.pool.forward(x).flatten(1, 3);
        self.head.forward(self.dropout.forward(features))
    }
}

impl ConvBlock {
    fn new(channels_in: usize, device: &Device) -> Self {
        let conv = |channels_in| {
            Conv2dConfig::new([channels_in, CHANNELS], [3, 3])
                .with_padding(PaddingConfig2d::Same)
                .with_bias(false) // the normalisation would take it away again
                .init(device)
        };
        let norm = || BatchNormConfig::new(CHANNELS).init(device);
        Self {
            conv: [conv(channels_in), conv(CHANNELS)],
            norm: [norm(), norm()],
            relu: Relu::new(),
        }
    }

    /// `[batch, channels, 8, 8]` in and out.
    #[must_use]
    pub fn forward(&self, mut x: Tensor<4>) -> Tensor<4> {
        for (conv, norm) in self.conv.iter().zip(&self.norm) {
            x = self.relu.forward(norm.forward(conv.forward(x)));
        }
        x
    }
}

impl TrainStep for Cnn {
    type Input = Batch;
    type Output = ClassificationOutput;

    fn step(&self, batch: Batch) -> TrainOutput<ClassificationOutput> {
        let output = self.classify(batch);
        TrainOutput::new(self, output.loss.backward(), output)
    }
}

impl InferenceStep for Cnn {
    type Input = Batch;
    type Output = ClassificationOutput;

    fn step(&self, batch: Batch) -> ClassificationOutput {
        self.classify(batch)
    }
}
