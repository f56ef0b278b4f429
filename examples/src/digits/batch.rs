//! Digits as tensors.

use burn::data::dataloader::batcher::Batcher;
use burn::tensor::{Device, Int, Tensor, TensorData};

use super::Digit;
use super::data::{BLACK, WIDTH};

/// Digits as tensors.
#[derive(Clone, Debug)]
pub struct Batch {
    /// `[batch, 1, 8, 8]`, from -1 (white) to 1 (black).
    pub images: Tensor<4>,
    /// The digits that they show.
    pub targets: Tensor<1, Int>,
}

/// Makes batches.
#[derive(Clone, Copy, Debug)]
pub struct DigitBatcher;

impl Batcher<Digit, Batch> for DigitBatcher {
    fn batch(&self, digits: Vec<Digit>, device: &Device) -> Batch {
        let gray = |pixel: u8| f32::from(pixel) * 2.0 / f32::from(BLACK) - 1.0;
        let pixels = digits.iter().flat_map(|digit| digit.pixels.map(gray));
        let shape = [digits.len(), 1, WIDTH, WIDTH];
        let images = TensorData::new(pixels.collect::<Vec<_>>(), shape);
        let labels: Vec<_> = digits.iter().map(|digit| i32::from(digit.label)).collect();
        Batch {
            images: Tensor::from_data(images, device),
            targets: Tensor::from_data(TensorData::new(labels, [digits.len()]), device),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_rows_of_shades() {
        let mut digit = Digit {
            pixels: [0; WIDTH * WIDTH],
            label: 3,
        };
        digit.pixels[WIDTH + 2] = BLACK;
        let batch = DigitBatcher.batch(vec![digit; 2], &Device::flex());
        assert_eq!(batch.images.dims(), [2, 1, WIDTH, WIDTH]);
        let row: Vec<f32> = batch
            .images
            .slice([0..1, 0..1, 1..2, 1..4])
            .into_data()
            .iter()
            .collect();
        assert_eq!(row, [-1.0, 1.0, -1.0]);
        let targets: Vec<i32> = batch.targets.into_data().iter().collect();
        assert_eq!(targets, [3, 3]);
    }
}
