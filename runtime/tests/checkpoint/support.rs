//! Comparing a model with and without strategies.

use burn::module::{Module, ModuleVisitor, Param};
use burn::nn::{Gelu, Linear, LinearConfig};
use burn::tensor::{Device, Gradients, Tensor, TensorData, Tolerance};

/// Flex unless another backend's feature is on (CI runs the suite on `wgpu` as well).
pub fn device() -> Device {
    Device::default().autodiff()
}

/// To the bit where the backend's kernels are fixed, else up to what another kernel may round to.
pub fn assert_same(left: &TensorData, right: &TensorData) {
    if cfg!(cube) {
        left.assert_approx_eq::<f32>(right, Tolerance::rel_abs(1e-3, 1e-4));
    } else {
        assert_eq!(left, right);
    }
}

pub fn assert_all_same(left: &[Option<TensorData>], right: &[Option<TensorData>]) {
    assert_eq!(left.len(), right.len());
    for (left, right) in left.iter().zip(right) {
        match (left, right) {
            (Some(left), Some(right)) => assert_same(left, right),
            (left, right) => assert_eq!(left.is_some(), right.is_some(), "{left:?} {right:?}"),
        }
    }
}

/// The norm of the difference over the norm, of all gradients together.
pub fn error(gradients: &[Option<TensorData>], plain: &[Option<TensorData>]) -> f64 {
    let (mut difference, mut norm) = (0.0, 0.0);
    assert_eq!(gradients.len(), plain.len());
    for (gradient, plain) in gradients.iter().zip(plain) {
        let (Some(gradient), Some(plain)) = (gradient, plain) else {
            assert_eq!(gradient.is_some(), plain.is_some());
            continue;
        };
        for (a, b) in gradient.iter::<f64>().zip(plain.iter::<f64>()) {
            difference += (a - b).powi(2);
            norm += b * b;
        }
    }
    if difference == 0.0 {
        return 0.0; // also where both are 0
    }
    f64::sqrt(difference / norm)
}

/// The gradients of all parameters, in order; `None` where there is none.
pub fn gradients<M: Module>(module: &M, grads: &mut Gradients) -> Vec<Option<TensorData>> {
    struct Collect<'a>(&'a mut Gradients, Vec<Option<TensorData>>);
    impl ModuleVisitor for Collect<'_> {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            let gradient = param.base().grad_remove(self.0);
            self.1.push(gradient.map(Tensor::into_data));
        }
    }
    let mut collect = Collect(grads, Vec::new());
    module.visit(&mut collect);
    collect.1
}

/// Loss and gradients of a model under `forward`, which gives a scalar loss.
pub fn run<M: Module>(
    model: &M,
    forward: impl Fn(&M) -> Tensor<1>,
) -> (TensorData, Vec<Option<TensorData>>) {
    let loss = forward(model);
    let mut grads = loss.backward();
    (loss.into_data(), gradients(model, &mut grads))
}

/// Runs `forward` with strategies and as plain burn, and compares loss and gradients.
pub fn assert_as_plain<M: Module>(model: &M, forward: impl Fn(&M) -> Tensor<1>) {
    let (loss, grads) = run(model, &forward);
    let (plain_loss, plain_grads) = remat::without_strategies(|| run(model, &forward));
    assert_same(&loss, &plain_loss);
    assert_all_same(&grads, &plain_grads);
    assert!(grads.iter().any(Option::is_some), "nothing was compared");
}

/// Zeros for `None`: burn runs the step of a parent in any case, and wants a gradient there.
pub fn assert_same_or_zeros(left: &[Option<TensorData>], right: &[Option<TensorData>]) {
    for (left, right) in left.iter().zip(right) {
        match (left, right) {
            (Some(left), Some(right)) => assert_same(left, right),
            (Some(left), None) => assert!(left.iter::<f32>().all(|x| x == 0.0), "{left}"),
            (None, right) => assert!(right.is_none(), "{right:?}"),
        }
    }
}

/// A loss that gives every element another gradient.
pub fn loss<const D: usize>(y: Tensor<D>) -> Tensor<1> {
    let weights = numbers(y.dims(), &y.device().without_autodiff());
    (y.clone() * y * weights.cast(burn::tensor::FloatDType::F32)).sum()
}

/// Fixed numbers without structure, in -1..1.
pub fn numbers<const D: usize>(shape: [usize; D], device: &Device) -> Tensor<D> {
    let count: usize = shape.iter().product();
    let values: Vec<f32> = (0..count)
        .map(|i| (((i * 2_654_435_761) % 1000) as f32 - 499.5) / 500.0)
        .collect();
    Tensor::from_data(TensorData::new(values, shape), device)
}

#[derive(Module, Debug)]
pub struct Mlp {
    pub up: Linear,
    pub gelu: Gelu,
    pub down: Linear,
}

impl Mlp {
    pub fn new(d: usize, device: &Device) -> Self {
        Self {
            up: LinearConfig::new(d, 2 * d).init(device),
            gelu: Gelu::new(),
            down: LinearConfig::new(2 * d, d).init(device),
        }
    }

    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.down.forward(self.gelu.forward(self.up.forward(x)))
    }
}
