//! A small model with f16 inside, and what it is compared by.

use burn::module::{Module, Param};
use burn::nn::Initializer;
use burn::optim::{AdamWConfig, ModuleOptimizer};
use burn::tensor::{Device, FloatDType, Tensor};
use remat::amp::{GradScaler, GradScalerConfig, ScaledGradients};

pub fn device() -> Device {
    Device::default().autodiff()
}

/// `sum(x w)`, of which the product is computed in f16.
#[derive(Module, Debug)]
pub struct Dot {
    pub weight: Param<Tensor<1>>,
}

impl Dot {
    pub fn new(weight: &[f32]) -> Self {
        let weight = Tensor::from_floats(weight, &device()).require_grad();
        Self {
            weight: Param::from_tensor(weight),
        }
    }

    /// Its gradient is `x`.
    pub fn loss(&self, x: &[f32]) -> Tensor<1> {
        let x = Tensor::<1>::from_floats(x, &device()).cast(FloatDType::F16);
        let product = self.weight.val().cast(FloatDType::F16) * x;
        product.cast(FloatDType::F32).sum()
    }

    pub fn values(&self) -> Vec<f32> {
        values(self.weight.val())
    }
}

/// Two of them, with a name each.
#[derive(Module, Debug)]
pub struct Pair {
    pub first: Dot,
    pub second: Dot,
}

impl Pair {
    pub fn new() -> Self {
        Self {
            first: Dot::new(&[1.0, 2.0]),
            second: Dot::new(&[3.0]),
        }
    }

    pub fn loss(&self, first: &[f32], second: &[f32]) -> Tensor<1> {
        self.first.loss(first) + self.second.loss(second)
    }
}

pub fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().unwrap()
}

/// The scaled gradients of a loss whose gradient is `x`.
pub fn scaled(scaler: &GradScaler, model: &Dot, x: &[f32]) -> ScaledGradients {
    scaler.backward(model.loss(x), model).unwrap()
}

pub fn adamw() -> ModuleOptimizer {
    AdamWConfig::new().with_weight_decay(0.1).init()
}

/// Starts at 1024, for which f16 has room, and grows and backs off by 2.
pub fn config() -> GradScalerConfig {
    GradScalerConfig::new().with_init_scale(1024.0)
}

pub fn scaler() -> GradScaler {
    config().init().unwrap()
}

/// A linear layer without random numbers.
pub fn linear(from: usize, to: usize) -> burn::nn::Linear {
    burn::nn::LinearConfig::new(from, to)
        .with_initializer(Initializer::Constant { value: 0.3 })
        .init(&device())
}
