//! Where the backward pass starts, and what it refuses.

use crate::support::{Dot, Pair, device, linear, scaled, scaler, values};
use burn::module::{Module, ModuleMapper, Param};
use burn::optim::GradientsParams;
use burn::tensor::{DType, FloatDType, Tensor, activation};
use remat::amp::{GradScaler, GradScalerConfig, Refused};

#[test]
fn gradients_in_f32_are_plain_burns() {
    let model = [linear(3, 4), linear(4, 2)];
    let loss = || {
        let x = Tensor::<2>::from_floats([[0.1, -0.7, 0.4], [1.3, 0.2, -0.9]], &device());
        let hidden = activation::tanh(model[0].forward(x));
        activation::log_softmax(model[1].forward(hidden), 1)
            .powi_scalar(2)
            .mean()
    };
    let plain = GradientsParams::from_grads(loss().backward(), &model);

    let mut scaler = scaler();
    let grads = scaler.backward(loss(), &model).unwrap();
    assert_eq!(grads.scale(), 1024.0);
    let grads = scaler.unscale(grads, &model).unwrap();

    assert_eq!((grads.len(), plain.len()), (4, 4));
    for layer in &model {
        let of = |grads: &GradientsParams| values(grads.get::<2>(layer.weight.id).unwrap());
        assert_eq!(of(&grads), of(&plain));
    }
}

#[test]
fn gradients_that_vanish_in_f16_do_not_at_a_scale() {
    let model = Dot::new(&[1.0, 2.0]);
    // Below half of the smallest f16, 6e-8.
    let loss = || model.loss(&[1.0, 2.0]) * 1e-8;
    let plain = GradientsParams::from_grads(loss().backward(), &model);
    assert_eq!(values(plain.get::<1>(model.weight.id).unwrap()), [0.0; 2]);

    let mut scaler = scaler();
    let grads = scaler.backward(loss(), &model).unwrap();
    let grads = scaler.unscale(grads, &model).unwrap();
    let gradient = values(grads.get::<1>(model.weight.id).unwrap());
    assert!((gradient[0] / 1e-8 - 1.0).abs() < 2e-3, "{gradient:?}");
    assert!((gradient[1] / 2e-8 - 1.0).abs() < 2e-3, "{gradient:?}");
}

#[test]
fn the_loss_is_not_multiplied() {
    // Times the scale, it would be infinite, and its gradient NaN.
    let model = Dot::new(&[1.0]);
    let loss = model.loss(&[1.0]) + 1e37;
    let mut scaler = scaler();
    let grads = scaler.backward(loss.powf_scalar(1.0), &model).unwrap();
    let grads = scaler.unscale(grads, &model).unwrap();
    assert_eq!(values(grads.get::<1>(model.weight.id).unwrap()), [1.0]);
}

#[test]
fn a_loss_of_any_shape_starts_from_the_scale_in_every_element() {
    let model = Dot::new(&[1.0, 2.0]);
    let loss = model.weight.val().reshape([2, 1]) * 3.0;
    let mut scaler = scaler();
    let grads = scaler.backward(loss, &model).unwrap();
    let grads = scaler.unscale(grads, &model).unwrap();
    assert_eq!(values(grads.get::<1>(model.weight.id).unwrap()), [3.0, 3.0]);
}

#[test]
fn a_scale_that_is_no_power_of_two_is_divided_by() {
    let config = GradScalerConfig::new().with_init_scale(3.0);
    let mut scaler = config.init().unwrap();
    let model = Dot::new(&[1.0]);
    let grads = scaled(&scaler, &model, &[7.0]);
    let grads = scaler.unscale(grads, &model).unwrap();
    assert_eq!(values(grads.get::<1>(model.weight.id).unwrap()), [7.0]);
}

#[test]
fn s11_low_precision_is_refused_with_advice() {
    let scaler = scaler();
    let model = Dot::new(&[1.0]);
    for dtype in [FloatDType::F16, FloatDType::BF16] {
        let loss = model.loss(&[1.0]).cast(dtype);
        let refused = scaler.backward(loss, &model).unwrap_err();
        assert_eq!(refused, Refused::LowPrecisionLoss(dtype.into()));
        assert!(refused.to_string().contains("logits.cast(FloatDType::F32)"));
    }

    let mut pair = Pair::new();
    pair.second = pair.second.map(&mut Half);
    let refused = scaler.backward(pair.loss(&[1.0, 1.0], &[1.0]), &pair);
    let refused = refused.unwrap_err();
    let (path, dtype) = ("second.weight".to_owned(), DType::F16);
    assert_eq!(refused, Refused::LowPrecisionParameter { path, dtype });
    assert!(refused.to_string().contains("keep the model in f32"));

    // A part that is not trained may be in f16.
    pair.second = pair.second.no_grad();
    let grads = scaler.backward(pair.loss(&[1.0, 1.0], &[1.0]), &pair);
    assert_eq!(grads.unwrap().len(), 1);
}

struct Half;

impl ModuleMapper for Half {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|value| Tensor::from_inner(value.inner().cast(FloatDType::F16)).require_grad())
    }
}

#[test]
fn nothing_to_differentiate_is_refused() {
    let model = Dot::new(&[1.0]).no_grad();
    let refused = GradScaler::default().backward(model.loss(&[1.0]), &model);
    assert_eq!(refused.unwrap_err(), Refused::Untracked);
}

// Not every device has f64.
#[cfg(not(cube))]
#[test]
fn widened_narrows_nothing() {
    let fine = 1.0 + 1e-12_f64;
    let x = Tensor::<1>::from_data([fine], (&device(), DType::F64)).require_grad();
    let wide = remat::amp::widened(x);
    assert_eq!(wide.into_data().try_to_vec::<f64>().unwrap(), [fine]);
}
