//! A small model whose parameters are fixed numbers, and its gradients as lists.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::nn::{Linear, LinearConfig};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, TensorData};

pub fn device() -> Device {
    Device::flex().autodiff()
}

/// Fixed numbers without structure, in -1..1.
pub fn numbers<const D: usize>(shape: [usize; D], seed: usize, device: &Device) -> Tensor<D> {
    let count: usize = shape.iter().product();
    let number = |i: usize| (((i + seed * 7919) * 2_654_435_761) % 1000) as f32 / 500.0 - 0.999;
    let values: Vec<_> = (0..count).map(number).collect();
    Tensor::from_data(TensorData::new(values, shape), device)
}

/// The model with fixed parameters: burn draws them from a generator of the process.
pub fn fixed<M: Module>(model: M) -> M {
    struct Fix(usize);
    impl ModuleMapper for Fix {
        fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
            self.0 += 1;
            let seed = self.0;
            let fix = |value: Tensor<D>| numbers(value.dims(), seed, &value.device()) * 0.5;
            param.map(|value| fix(value).require_grad())
        }
    }
    model.map(&mut Fix(0))
}

/// `w x`, for gradients that can be written down.
pub fn weight(device: &Device) -> Linear {
    LinearConfig::new(1, 1).with_bias(false).init(device)
}

/// A loss whose gradient for [`weight`] is `gradient`.
pub fn loss(model: &Linear, gradient: f32, device: &Device) -> Tensor<1> {
    model
        .forward(Tensor::<2>::full([1, 1], gradient, device))
        .sum()
}

pub fn gradient(model: &Linear, gradients: &GradientsParams) -> f32 {
    let weight = gradients.get::<2>(model.weight.id);
    weight.expect("there is a gradient").into_scalar()
}

#[derive(Module, Debug)]
pub struct Mlp {
    pub up: Linear,
    pub down: Linear,
}

impl Mlp {
    pub fn new(device: &Device) -> Self {
        fixed(Self {
            up: LinearConfig::new(6, 16).init(device),
            down: LinearConfig::new(16, 5).init(device),
        })
    }

    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.down.forward(self.up.forward(x).tanh())
    }
}

/// All gradients in order; those that are missing are empty.
pub fn values<M: Module>(model: &M, gradients: &GradientsParams) -> Vec<Vec<f32>> {
    struct Collect<'a>(&'a GradientsParams, Vec<Vec<f32>>);
    impl ModuleVisitor for Collect<'_> {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            let gradient = self.0.get::<D>(param.id).map(Tensor::into_data);
            let values = gradient.map(|gradient| gradient.iter::<f32>().collect());
            self.1.push(values.unwrap_or_default());
        }
    }
    let mut collect = Collect(gradients, Vec::new());
    model.visit(&mut collect);
    collect.1
}

/// The largest difference over the largest value, of each parameter; the largest of these.
pub fn error(left: &[Vec<f32>], right: &[Vec<f32>]) -> f32 {
    assert_eq!(left.len(), right.len());
    let of = |(left, right): (&Vec<f32>, &Vec<f32>)| {
        assert_eq!(left.len(), right.len());
        let largest = right.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
        let difference = left.iter().zip(right).map(|(a, b)| (a - b).abs());
        difference.fold(0.0, f32::max) / largest.max(f32::MIN_POSITIVE)
    };
    left.iter().zip(right).map(of).fold(0.0, f32::max)
}
