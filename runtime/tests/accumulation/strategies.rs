//! Layers that run again, cast, compress or overwrite what they keep: a window is still the sum of their gradients, to the
//! bit. The sum that enters a backward pass changes nothing of what it computes.

use crate::support::{device, fixed, numbers, values};
use burn::module::Module;
use burn::nn::{Gelu, LayerNorm, LayerNormConfig, Linear, LinearConfig, Relu};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use remat::Remat;
use remat::amp::{GradScaler, GradScalerConfig};
use remat::train::Accumulator;

#[derive(Module, Debug, Remat)]
struct Mixed {
    norm: LayerNorm,
    #[checkpoint]
    first: Linear,
    #[inplace]
    relu: Relu,
    #[autocast(f16)]
    middle: Linear,
    #[recompute(cheap)]
    gelu: Gelu,
    #[quantize(bits = 8, min_elements = 0, rounding = nearest)]
    last: Linear,
    /// Of layers that only some micro-batches use.
    #[checkpoint]
    extra: Linear,
}

#[remat::forward]
impl Mixed {
    fn new() -> Self {
        let device = device();
        let linear = || LinearConfig::new(8, 8).init(&device);
        fixed(Self {
            norm: LayerNormConfig::new(8).init(&device),
            first: linear(),
            relu: Relu::new(),
            middle: linear(),
            gelu: Gelu::new(),
            last: linear(),
            extra: linear(),
        })
    }

    fn forward(&self, x: Tensor<2>, extra: bool) -> Tensor<2> {
        let h = self.relu.forward(self.first.forward(self.norm.forward(x)));
        let h = self.gelu.forward(self.middle.forward(h));
        let h = self.last.forward(h);
        if extra { self.extra.forward(h) } else { h }
    }

    fn loss(&self, micro_batch: usize) -> Tensor<1> {
        let x = numbers([3 + micro_batch, 8], micro_batch, &device());
        self.forward(x, micro_batch == 1).square().mean()
    }
}

fn scaler() -> GradScaler {
    let config = GradScalerConfig::new().with_init_scale(1024.0);
    config.init().unwrap()
}

fn window(model: &Mixed) -> GradientsParams {
    let mut scaler = scaler();
    let mut accumulator = Accumulator::new(4).unwrap();
    accumulator.set_scale(scaler.scale());
    let mut add = |i| accumulator.add(model.loss(i), 1, model).unwrap();
    let window = (0..4).find_map(&mut add).unwrap();
    scaler.unscale(window.into_scaled(), model).unwrap()
}

fn one_by_one(model: &Mixed) -> GradientsParams {
    let mut scaler = scaler();
    let parts = (0..4).map(|i| scaler.backward(model.loss(i), model).unwrap());
    let sum = parts.reduce(|sum, one| sum.add(one, model)).unwrap();
    scaler.unscale(sum.over(4.0), model).unwrap()
}

#[test]
fn a_window_is_the_sum_of_its_gradients_to_the_bit() {
    let model = Mixed::new();
    let (window, sum) = (window(&model), one_by_one(&model));
    assert_eq!(values(&model, &window), values(&model, &sum));
    let moved = values(&model, &window);
    assert!(
        moved
            .iter()
            .all(|gradient| gradient.iter().any(|x| *x != 0.0))
    );
}
