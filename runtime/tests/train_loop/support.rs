//! A model with everything that has a state, and data that depends on the epoch.

use burn::lr_scheduler::LrSchedulerConfig;
use burn::lr_scheduler::linear::LinearLrSchedulerConfig;
use burn::lr_scheduler::module_lr_scheduler::{ModuleLrScheduler, ModuleLrSchedulerConfig};
use burn::module::{Module, ModuleVisitor, Param};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig};
use burn::tensor::{Device, Tensor, TensorData};
use remat::train::MicroBatch;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// burn's generators belong to the process: whoever seeds them takes turns.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn device() -> Device {
    Device::flex().autodiff()
}

/// Fixed numbers without structure, in -1..1.
pub fn numbers<const D: usize>(shape: [usize; D], seed: usize) -> Tensor<D> {
    let count: usize = shape.iter().product();
    let number = |i: usize| (((i + seed * 7919) * 2_654_435_761) % 1000) as f32 / 500.0 - 0.999;
    let values: Vec<_> = (0..count).map(number).collect();
    Tensor::from_data(TensorData::new(values, shape), &device())
}

/// Running statistics, burn's dropout and remat's.
#[derive(Module, Debug)]
pub struct Net {
    pub up: Linear,
    pub norm: BatchNorm,
    dropout: burn::nn::Dropout,
    seeded: remat::nn::Dropout,
    pub down: Linear,
}

impl Net {
    pub fn new(seed: u64) -> Self {
        let device = device();
        device.seed(seed);
        let net = Self {
            up: LinearConfig::new(6, 8).init(&device),
            norm: BatchNormConfig::new(8).init(&device),
            dropout: burn::nn::DropoutConfig::new(0.2).init(),
            seeded: remat::nn::DropoutConfig::new(0.3).init(),
            down: LinearConfig::new(8, 1).init(&device),
        };
        let _ = bits(&net);
        net
    }

    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self.norm.forward(self.up.forward(x)).tanh();
        let h = self.seeded.forward(self.dropout.forward(h));
        self.down.forward(h)
    }

    pub fn loss(&self, x: Tensor<2>) -> MicroBatch {
        let samples = x.dims()[0];
        MicroBatch::new((self.forward(x) - 0.5).square().mean(), samples)
    }
}

/// Five micro-batches of three to five samples.
pub fn loader(epoch: usize) -> impl Iterator<Item = Tensor<2>> {
    [4, 3, 5, 4, 3]
        .into_iter()
        .enumerate()
        .map(move |(i, samples)| numbers([samples, 6], 10 * epoch + i))
}

/// All parameters and running statistics.
pub fn bits<M: Module>(model: &M) -> Vec<Vec<u32>> {
    struct Collect(Vec<Vec<u32>>);
    impl ModuleVisitor for Collect {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            let values = param.val().into_data();
            let bits = values.iter::<f32>().map(f32::to_bits);
            self.0.push(bits.collect());
        }
    }
    let mut collect = Collect(Vec::new());
    model.visit(&mut collect);
    collect.0
}

pub fn schedule(config: impl Into<LrSchedulerConfig>) -> ModuleLrScheduler {
    ModuleLrSchedulerConfig::new(config.into()).init().unwrap()
}

/// From 0.1 to 0.01 in so many steps.
pub fn linear(steps: usize) -> ModuleLrScheduler {
    schedule(LinearLrSchedulerConfig::new(0.1, 0.01, steps))
}
