//! The loop against its parts, composed by hand.

use crate::support::{bits, device, linear, loader, turn};
use burn::module::Module;
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig};
use burn::optim::AdamWConfig;
use burn::tensor::Tensor;
use remat::train::{Accumulator, BatchNorms, MicroBatch, TrainLoop, clip_grad_norm};

#[derive(Module, Debug)]
struct Plain {
    up: Linear,
    norm: BatchNorm,
    down: Linear,
}

impl Plain {
    fn new() -> Self {
        let device = device();
        device.seed(3);
        let plain = Self {
            up: LinearConfig::new(6, 8).init(&device),
            norm: BatchNormConfig::new(8).init(&device),
            down: LinearConfig::new(8, 1).init(&device),
        };
        let _ = bits(&plain);
        plain
    }

    fn loss(&self, x: Tensor<2>) -> Tensor<1> {
        let h = self.norm.forward(self.up.forward(x)).tanh();
        (self.down.forward(h) - 0.5).square().mean()
    }

    fn norms(&self) -> Vec<&BatchNorm> {
        vec![&self.norm]
    }
}

#[test]
fn the_loop_is_its_parts() {
    let _turn = turn();
    let mut model = Plain::new();
    let copy = Plain::new();
    assert_eq!(bits(&model), bits(&copy));

    let mut training = TrainLoop::new(copy, AdamWConfig::new().init(), linear(5))
        .accumulate(2)
        .unwrap()
        .clip_grad_norm(0.3)
        .unwrap()
        .batch_norms(BatchNorms::accumulated(Plain::norms));
    let summary = training.run(2, loader, |model, x| {
        let samples = x.dims()[0];
        MicroBatch::new(model.loss(x), samples)
    });
    let summary = summary.unwrap();
    assert_eq!((summary.position.epoch, summary.position.windows), (2, 6));
    assert!(!summary.stopped);

    let (mut optimizer, mut schedule) = (AdamWConfig::new().init(), linear(5));
    let mut norms = BatchNorms::accumulated(Plain::norms);
    for epoch in 0..2 {
        let mut batches: Vec<_> = loader(epoch).collect();
        batches.reverse();
        while !batches.is_empty() {
            let mut accumulator = Accumulator::new(2).unwrap();
            let mut window = None;
            while window.is_none() {
                let Some(x) = batches.pop() else {
                    window = accumulator.finish();
                    break;
                };
                let samples = x.dims()[0];
                let loss = norms
                    .forward(&model, samples, |model| model.loss(x))
                    .unwrap();
                window = accumulator.add(loss, samples, &model).unwrap();
            }
            let mut grads = window.unwrap().mean(&model).unwrap();
            assert!(clip_grad_norm(&mut grads, &model, 0.3) > 0.3);
            norms.end_window(&model);
            let rate = schedule.step();
            model = optimizer.step(rate, model, grads);
        }
    }
    assert_eq!(bits(training.model()), bits(&model));
}
