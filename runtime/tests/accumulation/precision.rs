//! Sums are in f32 at least, and loss scales keep their meaning.

use crate::support::{device, gradient, loss, weight};
use burn::module::{Module, ModuleMapper, Param};
use burn::nn::Linear;
use burn::tensor::{DType, FloatDType, Tensor};
use remat::amp::{GradScaler, GradScalerConfig};
use remat::train::Accumulator;

struct Cast(FloatDType);

impl ModuleMapper for Cast {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|value| value.cast(self.0).detach().require_grad())
    }
}

fn in_dtype(dtype: FloatDType) -> Linear {
    weight(&device()).map(&mut Cast(dtype))
}

/// 256 + 1 is 256 in bf16: 300 micro-batches of gradient 1 stop there.
#[test]
fn bf16_gradients_are_added_in_f32() {
    let device = device();
    let model = in_dtype(FloatDType::BF16);
    assert_eq!(model.weight.val().dtype(), DType::BF16);
    let mut accumulator = Accumulator::new(300).unwrap();
    for micro_batch in 0..300 {
        let x = Tensor::<2>::ones([1, 1], &device).cast(FloatDType::BF16);
        let loss = model.forward(x).cast(FloatDType::F32).sum();
        if let Some(window) = accumulator.add(loss, 1, &model).unwrap() {
            assert_eq!(micro_batch, 299);
            let sums = window.reduce(&model, |sums| {
                assert_eq!(gradient(&model, &sums.gradients), 300.0);
                sums
            });
            let gradients = sums.mean(&model).unwrap();
            let mean = gradients.get::<2>(model.weight.id).unwrap();
            assert_eq!(mean.dtype(), DType::F32);
            assert_eq!(mean.into_scalar::<f32>(), 1.0);
        }
    }
}

/// Also where f32 does not hold the sum of the weights.
#[test]
fn f64_stays_f64() {
    let device = device();
    let model = in_dtype(FloatDType::F64);
    for weights in [[1, 1], [1, 1 << 24]] {
        let mut accumulator = Accumulator::new(2).unwrap();
        let mut add = |weight: i32| {
            let x = Tensor::<2>::ones([1, 1], &device).cast(FloatDType::F64) * 0.1;
            let loss = model.forward(x).sum();
            accumulator.add(loss, weight, &model).unwrap()
        };
        let window = weights.into_iter().find_map(&mut add).unwrap();
        let gradients = window.mean(&model).unwrap();
        let gradient = gradients.get::<2>(model.weight.id).unwrap();
        assert_eq!(gradient.dtype(), DType::F64);
        let error = gradient.into_scalar::<f64>() - 0.1;
        assert!(error.abs() < 1e-16, "{error}");
    }
}

/// Scale and weights together are more than f32 holds, but the gradient is not.
#[test]
fn the_largest_scale_is_divided_by() {
    let device = device();
    let model = weight(&device);
    let largest = 2.0_f32.powi(127);
    let config = GradScalerConfig::new().with_init_scale(largest);
    let mut scaler = config.init().unwrap();
    let mut accumulator = Accumulator::new(3).unwrap();
    accumulator.set_scale(scaler.scale());
    let mut add = |value| {
        let loss = loss(&model, value, &device);
        accumulator.add(loss, 1, &model).unwrap()
    };
    let window = [0.125, 0.25, 0.375].into_iter().find_map(&mut add).unwrap();
    let gradients = scaler.unscale(window.into_scaled(), &model).unwrap();
    assert_eq!(gradient(&model, &gradients), 0.25);
}

/// All that are not refused: from the least to the largest.
#[test]
fn any_weight_can_be_multiplied() {
    let device = device();
    let model = weight(&device);
    for weight in [f32::MIN_POSITIVE, 1e-20, 0.1, 1e20, f32::MAX] {
        let mut accumulator = Accumulator::new(1).unwrap();
        let loss = loss(&model, 2.0, &device);
        let expected = loss.clone().into_scalar::<f64>();
        let window = accumulator.add(loss, weight, &model).unwrap().unwrap();
        assert_eq!(window.loss(), expected, "{weight}");
        let gradients = window.mean(&model).unwrap();
        assert_eq!(gradient(&model, &gradients), 2.0, "{weight}");
    }
}

/// With scale 65536 and 4096 samples a seed of their product would be infinite in f16; a window's is as one
/// micro-batch's, whatever is counted. Powers of two change no bit.
#[test]
fn weights_do_not_make_f16_overflow() {
    let device = device();
    let model = weight(&device);
    let mut scaler = GradScalerConfig::new()
        .with_init_scale(16384.0)
        .init()
        .unwrap();
    let mut accumulator = Accumulator::new(2).unwrap();
    accumulator.set_scale(scaler.scale());
    for (value, samples) in [(1.0, 4096), (1.5, 2048)] {
        let half = model
            .forward(Tensor::<2>::full([1, 1], value, &device))
            .cast(FloatDType::F16);
        let loss = half.cast(FloatDType::F32).sum();
        if let Some(window) = accumulator.add(loss, samples, &model).unwrap() {
            let gradients = scaler.unscale(window.into_scaled(), &model).unwrap();
            let expected = (4096.0 + 1.5 * 2048.0) / 6144.0;
            assert!((gradient(&model, &gradients) - expected).abs() < 1e-6);
        }
    }
}

/// S13: the scale is constant in a window, an infinity in micro-batch 2 of 4 drops the window, with one backoff, and the
/// next window is clean.
#[test]
fn s13_one_backoff_for_a_window() {
    let device = device();
    let model = weight(&device);
    let mut scaler = GradScaler::default();
    let mut accumulator = Accumulator::new(4).unwrap();
    let mut window = |bad: Option<usize>, scaler: &mut GradScaler| {
        accumulator.set_scale(scaler.scale());
        for micro_batch in 1..=4 {
            let factor = if bad == Some(micro_batch) {
                f32::MAX
            } else {
                1.0
            };
            let loss = loss(&model, factor, &device);
            if let Some(window) = accumulator.add(loss, 1, &model).unwrap() {
                let gradients = scaler.unscale(window.into_scaled(), &model);
                scaler.update();
                return gradients.map(|gradients| gradient(&model, &gradients));
            }
            accumulator.set_scale(1.0); // of the next window
        }
        unreachable!()
    };
    assert_eq!(window(None, &mut scaler), Ok(1.0));
    let overflow = window(Some(2), &mut scaler).unwrap_err();
    assert_eq!(overflow.scale(), 65536.0);
    assert_eq!((scaler.scale(), scaler.overflows()), (32768.0, 1));
    assert_eq!(window(None, &mut scaler), Ok(1.0));
}
