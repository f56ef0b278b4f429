//! What a window of micro-batches needs, against burn's own accumulator. The counters belong to the process, so this has
//! one of its own.

use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::optim::{GradientsAccumulator, GradientsParams};
use burn::tensor::{Device, Distribution, Tensor, TensorData};
use remat::memory::{Tracking, measure};
use remat::train::Accumulator;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[global_allocator]
static ALLOC: Tracking = Tracking::new();

fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bookkeeping: graph entries, shapes, what the test harness allocates meanwhile.
const SLACK: usize = 256 << 10;

#[derive(Module, Debug)]
struct Mlp {
    layers: Vec<Linear>,
}

impl Mlp {
    fn new(layers: usize, width: usize, device: &Device) -> Self {
        let layer = |_| LinearConfig::new(width, width).init(device);
        Self {
            layers: (0..layers).map(layer).collect(),
        }
    }

    fn loss(&self, mut x: Tensor<2>) -> Tensor<1> {
        for layer in &self.layers {
            x = layer.forward(x).tanh();
        }
        (x.clone() * x).mean()
    }

    /// In all, and the largest, in bytes.
    fn gradients(&self) -> (usize, usize) {
        let largest = self.layers[0].weight.shape().num_elements();
        (self.num_params() * 4, largest * 4)
    }

    fn values(&self, gradients: &GradientsParams) -> Vec<TensorData> {
        let layer = |layer: &Linear| {
            let bias = layer.bias.as_ref().unwrap().id;
            [
                gradients.get::<2>(layer.weight.id).unwrap().into_data(),
                gradients.get::<1>(bias).unwrap().into_data(),
            ]
        };
        self.layers.iter().flat_map(layer).collect()
    }
}

fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let (value, report) = measure(&Device::flex(), work);
    (value, report.peak().unwrap())
}

/// What a forward pass keeps for its backward pass.
fn retained(model: &Mlp, x: &Tensor<2>) -> usize {
    let (_loss, report) = measure(&Device::flex(), || model.loss(x.clone()));
    usize::try_from(report.retained().unwrap()).unwrap()
}

fn accumulate(model: &Mlp, micro_batches: &[Tensor<2>]) -> GradientsParams {
    let mut accumulator = Accumulator::new(micro_batches.len()).unwrap();
    for x in micro_batches {
        let window = accumulator.add(model.loss(x.clone()), 1, model).unwrap();
        if let Some(window) = window {
            return window.mean(model).unwrap();
        }
    }
    unreachable!("the window has as many micro-batches")
}

fn burns_sum(model: &Mlp, micro_batches: &[Tensor<2>]) -> GradientsParams {
    let mut accumulator = GradientsAccumulator::new();
    for x in micro_batches {
        let grads = model.loss(x.clone()).backward();
        accumulator.accumulate(model, GradientsParams::from_grads(grads, model));
    }
    accumulator.grads()
}

fn numbers(shape: [usize; 2], device: &Device) -> Tensor<2> {
    Tensor::random(shape, Distribution::Uniform(-1.0, 1.0), device)
}

#[test]
fn one_set_of_gradients_where_burn_has_two() {
    let _alone = alone();
    let device = Device::flex().autodiff();
    let model = Mlp::new(8, 1024, &device);
    let (set, largest) = model.gradients();
    let micro_batches: Vec<_> = (0..4).map(|_| numbers([4, 1024], &device)).collect();
    // What kernels set up for these shapes belongs to nobody.
    drop(accumulate(&model, &micro_batches));

    let activations = retained(&model, &micro_batches[0]);
    // burn's own matrix products hold more than their result for a moment.
    let (_, one) = peak(|| model.loss(micro_batches[0].clone()).backward());
    let (gradients, ours) = peak(|| accumulate(&model, &micro_batches));
    let (sums, burns) = peak(|| burns_sum(&model, &micro_batches));
    println!("ours {ours}, burn's {burns}, one pass {one}, a set {set}, the largest {largest}");

    // A plain pass ends with a set of gradients; this one begins with one, while the activations are there.
    assert!(ours <= one + largest + activations + SLACK, "{ours} {one}");
    assert!(ours <= 406 * (1 << 20) / 10, "{ours}");
    assert!(burns >= 2 * set, "{burns}");

    // A division by 4 changes no bit of the mantissa.
    let ours = model.values(&gradients);
    let burns = model.values(&sums);
    for (ours, burns) in ours.into_iter().zip(burns) {
        let quarter = burns.iter::<f32>().map(|sum| sum / 4.0);
        assert!(ours.iter::<f32>().eq(quarter));
    }
}

#[test]
fn an_eighth_of_the_batch_needs_a_seventh_of_its_activations() {
    let _alone = alone();
    let device = Device::flex().autodiff();
    let model = Mlp::new(12, 256, &device);
    let (set, largest) = model.gradients();
    let batch = numbers([1024, 256], &device);
    let micro_batches = batch.clone().chunk(8, 0);
    drop(accumulate(&model, &micro_batches));
    drop(model.loss(batch.clone()).backward());

    let (whole, full) = peak(|| {
        let grads = model.loss(batch.clone()).backward();
        GradientsParams::from_grads(grads, &model)
    });
    let (pieces, ours) = peak(|| accumulate(&model, &micro_batches));
    let (_, burns) = peak(|| burns_sum(&model, &micro_batches));
    let activations = retained(&model, &batch);
    println!("full {full}, ours {ours}, burn's {burns}, a set {set}, activations {activations}");

    assert!(ours <= activations / 7 + set + largest, "{ours}");
    assert!(ours <= burns + SLACK);
    for (piece, whole) in model.values(&pieces).iter().zip(model.values(&whole)) {
        piece.assert_approx_eq::<f32>(&whole, burn::tensor::Tolerance::rel_abs(1e-4, 1e-7));
    }
}

#[test]
fn nothing_stays_between_windows() {
    let _alone = alone();
    let device = Device::flex().autodiff();
    let model = Mlp::new(2, 64, &device);
    let micro_batches: Vec<_> = (0..3).map(|_| numbers([4, 64], &device)).collect();
    let live = || remat::memory::live_bytes().unwrap();
    for _ in 0..5 {
        drop(accumulate(&model, &micro_batches));
    }
    let before = live();
    for _ in 0..50 {
        drop(accumulate(&model, &micro_batches));
    }
    assert!(live() < before + (16 << 10), "{before} {}", live());
}
