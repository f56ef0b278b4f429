//! `TrainLoop` on batches of burn's `DataLoader`.

use std::sync::Arc;

use burn::data::dataloader::batcher::Batcher;
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use burn::data::dataset::{DatasetError, InMemDataset};
use burn::nn::{Linear, LinearConfig};
use burn::optim::AdamWConfig;
use burn::tensor::{Device, Tensor};
use remat::train::{MicroBatch, TrainLoop};

#[derive(Clone)]
struct Rows;

impl Batcher<f32, Tensor<2>> for Rows {
    fn batch(&self, items: Vec<f32>, device: &Device) -> Tensor<2> {
        let size = items.len();
        Tensor::<1>::from_floats(items.as_slice(), device).reshape([size, 1])
    }
}

/// Ten samples, three in a batch: the last has one.
#[test]
fn batches_of_a_data_loader() {
    let device = Device::flex().autodiff();
    let (epochs, seed) = (3, 7);
    let loaders: Vec<Arc<dyn DataLoader<Tensor<2>>>> = (0..epochs)
        .map(|epoch| {
            let samples = (0..10_u8).map(f32::from).collect();
            DataLoaderBuilder::new(Rows)
                .batch_size(3)
                .shuffle(seed + epoch)
                .set_device(device.clone())
                .build(InMemDataset::new(samples))
        })
        .collect();
    let model = LinearConfig::new(1, 1).init(&device);
    let mut weights = Vec::new();
    let mut training = TrainLoop::new(model, AdamWConfig::new().init(), 0.1)
        .accumulate(2)
        .unwrap();
    let summary = training.run(
        3,
        |epoch| loaders[epoch].iter(),
        |model: &Linear, batch| {
            let batch = batch?;
            let samples = batch.dims()[0];
            weights.push(samples);
            let loss = (model.forward(batch.clone()) - batch * 2.0).square().mean();
            Ok::<_, DatasetError>(MicroBatch::new(loss, samples))
        },
    );
    assert_eq!(summary.unwrap().position.windows, 6);
    assert_eq!(weights, [3, 3, 3, 1].repeat(3));
    let weight = training.model().weight.val().into_scalar::<f32>();
    assert!(weight.is_finite());
}
