//! Training on compressed activations comes to what plain training comes to.

use burn::data::dataloader::batcher::Batcher;
use burn::module::Module;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::optim::{AdamWConfig, GradientsParams};
use burn::tensor::Device;
use remat_examples::digits::{Batch, Digit, DigitBatcher, Digits, QuantizedCnn};
use remat_examples::gradients::parameters;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// burn's generators belong to the process, so these tests take turns.
static TURN: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

const BATCH: usize = 64;
const EPOCHS: usize = 6;

fn batches(digits: &[Digit], device: &Device) -> Vec<Batch> {
    let batches = digits.chunks(BATCH);
    batches
        .map(|batch| DigitBatcher.batch(batch.to_vec(), device))
        .collect()
}

/// The loss of each step, and the share of the validation digits that the trained model gets right, in percent.
fn train<const BITS: u32>(digits: &Digits) -> (Vec<f32>, f64) {
    let device = Device::flex().autodiff();
    device.seed(3);
    let mut model = QuantizedCnn::<BITS>::new(&device);
    // Reading draws them here: burn leaves that to their first use.
    let _ = parameters(&model);
    let mut optimizer = AdamWConfig::new().init();
    let loss = CrossEntropyLossConfig::new().init(&device);
    let batches = batches(&digits.train, &device);
    let steps = (EPOCHS * batches.len()) as f64;
    let mut losses = Vec::new();
    for batch in batches.iter().cycle().take(EPOCHS * batches.len()) {
        let rate = 3e-3 * (1.0 - losses.len() as f64 / steps);
        let loss = loss.forward(model.forward(batch.images.clone()), batch.targets.clone());
        let grads = GradientsParams::from_grads(loss.backward(), &model);
        losses.push(loss.into_scalar());
        model = optimizer.step(rate, model, grads);
    }
    (losses, accuracy(&model.valid(), &digits.valid))
}

fn accuracy<const BITS: u32>(model: &QuantizedCnn<BITS>, digits: &[Digit]) -> f64 {
    let right = batches(digits, &Device::flex()).into_iter().map(|batch| {
        let found = model.forward(batch.images).argmax(1).flatten::<1>(0, 1);
        found.equal(batch.targets).int().sum().into_scalar::<i32>()
    });
    f64::from(right.sum::<i32>()) * 100.0 / digits.len() as f64
}

#[test]
fn accuracy_is_that_of_plain_training() {
    let _turn = alone();
    let digits = Digits::open(None).unwrap();
    let (losses, plain) = remat::without_strategies(|| train::<8>(&digits));
    assert!(plain > 97.0, "{plain}");
    for (bits, (compressed, reached)) in [(8, train::<8>(&digits)), (4, train::<4>(&digits))] {
        assert_eq!(
            compressed[0], losses[0],
            "the values of the forward pass are untouched"
        );
        assert_ne!(compressed, losses);
        assert!(
            (reached - plain).abs() <= 0.5,
            "{bits} bits: {reached} %, plain {plain} %"
        );
    }
}

/// What compression does to the gradients of a model in training, and by which field.
#[test]
fn gradients_of_a_real_model() {
    let _turn = alone();
    let digits = Digits::open(None).unwrap();
    let device = Device::flex().autodiff();
    device.seed(3);
    let model = QuantizedCnn::<4>::new(&device);
    let batch = batches(&digits.train, &device).swap_remove(0);
    let comparison = remat::quantize::compare(&model, batch, |model, batch| {
        let loss = CrossEntropyLossConfig::new().init(&batch.images.device());
        loss.forward(model.forward(batch.images), batch.targets)
    });
    let names: Vec<_> = comparison.fields.iter().map(|field| field.name).collect();
    let cnn = [
        "QuantizedBlock.conv",
        "QuantizedBlock.norm",
        "QuantizedBlock.relu",
    ];
    assert_eq!(
        names,
        [&cnn[..], &["QuantizedCnn.head", "QuantizedCnn.pool"]].concat()
    );
    let of = |name| {
        comparison
            .fields
            .iter()
            .find(|field| field.name == name)
            .unwrap()
    };
    assert_eq!(
        of("QuantizedBlock.relu").relative_error,
        0.0,
        "one bit is exact"
    );
    assert!(of("QuantizedBlock.norm").relative_error > 0.0);
    assert!(
        comparison
            .parameters
            .iter()
            .all(|parameter| parameter.cosine > 0.95),
        "{comparison}"
    );
}
