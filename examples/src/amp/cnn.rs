//! The classifier of digits in a precision.

use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig, PaddingConfig2d, Relu};
use burn::tensor::{Device, FloatDType, Tensor};
use burn::train::{ClassificationOutput, InferenceStep, TrainOutput, TrainStep};
use remat::amp::{Precision, TrainLoss};
use remat::autocast;

use crate::digits::Batch;

const BLOCKS: usize = 4;
const CHANNELS: usize = 16;
const WIDTH: usize = 8;
const CLASSES: usize = 10;

/// A convolutional network for images of 8x8 pixels, whose tensors between layers are in a precision.
#[derive(Module, Debug)]
pub struct Cnn {
    blocks: Vec<ConvBlock>,
    pool: MaxPool2d,
    head: Linear,
    #[module(skip)]
    precision: Precision,
}

/// A convolution in the precision, normalised over the batch in f32.
#[derive(Module, Debug)]
struct ConvBlock {
    conv: Conv2d,
    norm: BatchNorm,
    relu: Relu,
}

impl Cnn {
    /// A model with fresh parameters.
    #[must_use]
    pub fn new(precision: Precision, device: &Device) -> Self {
        let channels = |block| if block == 0 { 1 } else { CHANNELS };
        let blocks = (0..BLOCKS).map(|block| ConvBlock::new(channels(block), device));
        let features = CHANNELS * (WIDTH / 2) * (WIDTH / 2);
        Self {
            blocks: blocks.collect(),
            pool: MaxPool2dConfig::new([2, 2]).init(),
            head: LinearConfig::new(features, CLASSES).init(device),
            precision,
        }
    }

    /// Images `[batch, 1, 8, 8]` to the scores `[batch, 10]` of the digits, in f32.
    #[must_use]
    pub fn forward(&self, images: Tensor<4>) -> Tensor<2> {
        let images = images.cast(self.precision.dtype());
        let blocks = self.blocks.iter();
        let x = blocks.fold(images, |x, block| block.forward(self.precision, x));
        let features = self.pool.forward(x).flatten::<2>(1, 3);
        let scores = autocast(self.precision, &self.head, (features,), |head, (x,)| {
            head.forward(x)
        });
        scores.cast(FloatDType::F32)
    }

    /// The scores of a batch and their mean cross-entropy, in f32.
    #[must_use]
    pub fn classify(&self, batch: Batch) -> ClassificationOutput {
        let Batch { images, targets } = batch;
        let scores = self.forward(images);
        let loss = CrossEntropyLossConfig::new().init(&scores.device());
        let loss = loss.forward(scores.clone(), targets.clone());
        ClassificationOutput::new(loss, scores, targets)
    }
}

impl ConvBlock {
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

    fn forward(&self, precision: Precision, x: Tensor<4>) -> Tensor<4> {
        let x = autocast(precision, &self.conv, (x,), |conv, (x,)| conv.forward(x));
        let x = autocast(Precision::F32, &self.norm, (x,), |norm, (x,)| {
            norm.forward(x)
        });
        self.relu.forward(x)
    }
}

/// For burn's learner, without loss scaling.
impl TrainStep for Cnn {
    type Input = Batch;
    type Output = ClassificationOutput;

    fn step(&self, batch: Batch) -> TrainOutput<ClassificationOutput> {
        let output = self.classify(batch);
        TrainOutput::new(self, output.loss.backward(), output)
    }
}

/// For burn's learner, with loss scaling.
impl TrainLoss for Cnn {
    type Input = Batch;
    type Output = ClassificationOutput;

    fn loss(&self, batch: Batch) -> (Tensor<1>, ClassificationOutput) {
        let output = self.classify(batch);
        (output.loss.clone(), output)
    }
}

impl InferenceStep for Cnn {
    type Input = Batch;
    type Output = ClassificationOutput;

    fn step(&self, batch: Batch) -> ClassificationOutput {
        self.classify(batch)
    }
}
