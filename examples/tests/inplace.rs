//! A network with Relu in place learns what the plain one does.

use burn::data::dataloader::batcher::Batcher;
use burn::module::Module;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::optim::{AdamWConfig, GradientsParams};
use burn::tensor::{Device, Tensor};
use remat_examples::digits::{Batch, Digit, DigitBatcher, Digits};
use remat_examples::gradients::{gradients, parameters};
use remat_examples::models::{Mlp, MlpInplace, Resnet, ResnetInplace};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// burn's generators belong to the process, so these tests take turns.
static TURN: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

const BATCH: usize = 64;
const EPOCHS: usize = 3;

fn batches(digits: &[Digit], device: &Device) -> Vec<Batch> {
    let batches = digits.chunks(BATCH);
    batches
        .map(|batch| DigitBatcher.batch(batch.to_vec(), device))
        .collect()
}

/// The losses, and the share of the validation digits that the trained model gets right, in percent.
fn train<M: Module>(
    new: fn(&Device) -> M,
    forward: fn(&M, Tensor<4>) -> Tensor<2>,
    digits: &Digits,
) -> (Vec<f32>, f64) {
    let device = Device::flex().autodiff();
    device.seed(3);
    let mut model = new(&device);
    // Reading draws them here: burn leaves that to their first use.
    let _ = parameters(&model);
    let mut optimizer = AdamWConfig::new().init();
    let loss = CrossEntropyLossConfig::new().init(&device);
    let batches = batches(&digits.train, &device);
    let mut losses = Vec::new();
    for batch in batches.iter().cycle().take(EPOCHS * batches.len()) {
        let loss = loss.forward(forward(&model, batch.images.clone()), batch.targets.clone());
        let grads = GradientsParams::from_grads(loss.backward(), &model);
        losses.push(loss.into_scalar());
        model = optimizer.step(3e-3, model, grads);
    }
    (losses, accuracy(&model.valid(), forward, &digits.valid))
}

fn accuracy<M>(model: &M, forward: fn(&M, Tensor<4>) -> Tensor<2>, digits: &[Digit]) -> f64 {
    let right = batches(digits, &Device::flex()).into_iter().map(|batch| {
        let found = forward(model, batch.images).argmax(1).flatten::<1>(0, 1);
        found.equal(batch.targets).int().sum().into_scalar::<i32>()
    });
    f64::from(right.sum::<i32>()) * 100.0 / digits.len() as f64
}

#[test]
fn a_residual_network_learns_the_same() {
    let _turn = alone();
    let digits = Digits::open(None).unwrap();
    let plain = train(Resnet::new, Resnet::forward, &digits);
    let before = remat::inplace::copies();
    let inplace = train(ResnetInplace::new, ResnetInplace::forward, &digits);
    assert_eq!(remat::inplace::copies(), before);
    assert_eq!(inplace, plain);
    assert!(plain.1 > 80.0, "{}", plain.1);
}

#[test]
fn a_network_of_linear_layers_has_the_same_gradients() {
    let _turn = alone();
    let device = Device::flex().autodiff();
    let found = |inplace: bool| {
        device.seed(3);
        let step = |model: &dyn Fn(Tensor<2>) -> Tensor<2>| {
            model(Tensor::ones([8, 32], &device))
                .square()
                .mean()
                .backward()
        };
        if inplace {
            let model = MlpInplace::new(5, 32, &device);
            let _ = parameters(&model);
            let grads = step(&|x| model.forward(x));
            gradients(&model, &GradientsParams::from_grads(grads, &model))
        } else {
            let model = Mlp::new(5, 32, &device);
            let _ = parameters(&model);
            let grads = step(&|x| model.forward(x));
            gradients(&model, &GradientsParams::from_grads(grads, &model))
        }
    };
    let before = remat::inplace::copies();
    let inplace = found(true);
    assert_eq!(remat::inplace::copies(), before);
    assert_eq!(inplace, found(false));
    assert!(inplace.iter().flatten().any(|gradient| *gradient != 0.0));
}
