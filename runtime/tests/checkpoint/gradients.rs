//! Gradients of parameters and inputs of every standing.

use crate::support::{Mlp, assert_as_plain, assert_same, device, loss, numbers, run};
use burn::module::{Lora, Module, ModuleMapper, Param};
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::{BatchNormConfig, DropoutConfig, Linear, LinearConfig};
use burn::tensor::{FloatDType, Tensor};
use remat::checkpoint;

#[test]
fn c16_weights_and_input_of_every_segment() {
    let device = device();
    let model = [
        Mlp::new(4, &device),
        Mlp::new(4, &device),
        Mlp::new(4, &device),
    ]
    .to_vec();
    let x = numbers([3, 4], &device).require_grad();
    let forward = |model: &Vec<Mlp>| {
        let y = model.iter().fold(x.clone(), |x, mlp| {
            x.clone() + checkpoint(mlp, (x,), |mlp, (x,)| mlp.forward(x))
        });
        loss(y)
    };
    assert_as_plain(&model, forward);

    let grads = forward(&model).backward();
    let plain = remat::without_strategies(|| forward(&model).backward());
    assert_same(
        &x.grad(&grads).unwrap().into_data(),
        &x.grad(&plain).unwrap().into_data(),
    );
}

#[test]
fn an_input_that_is_the_result_of_an_operation() {
    let device = device();
    let model = (LinearConfig::new(4, 4).init(&device), Mlp::new(4, &device));
    let x = numbers([3, 4], &device);
    assert_as_plain(&model, |(first, second): &(Linear, Mlp)| {
        let h = first.forward(x.clone());
        loss(checkpoint(second, (h,), |mlp, (h,)| mlp.forward(h)))
    });
}

#[test]
fn c15_untracked_input_with_trainable_parameters() {
    let device = device();
    let model = Mlp::new(4, &device);
    let x = numbers([3, 4], &device);
    let y = checkpoint(&model, (x.clone(),), |mlp, (x,)| mlp.forward(x));
    assert!(y.is_tracked());
    assert_as_plain(&model, |model| {
        loss(checkpoint(model, (x.clone(),), |mlp, (x,)| mlp.forward(x)))
    });
}

#[test]
fn attention_with_constructor_and_mask() {
    let device = device();
    let model = MultiHeadAttentionConfig::new(8, 2)
        .with_dropout(0.0)
        .init(&device);
    let x = numbers([2, 5, 8], &device);
    let mask = burn::nn::attention::generate_autoregressive_mask(2, 5, &device);
    assert_as_plain(&model, |model: &MultiHeadAttention| {
        let out = checkpoint(model, (x.clone(), mask.clone()), |model, (x, mask)| {
            model.forward(MhaInput::self_attn(x).mask_attn(mask))
        });
        loss(out.context)
    });
}

#[test]
fn frozen_parameters_get_no_gradient() {
    let device = device();
    let mut model = Mlp::new(4, &device);
    model.up = model.up.no_grad();
    let x = numbers([3, 4], &device);
    let forward = |model: &Mlp| loss(checkpoint(model, (x.clone(),), |mlp, (x,)| mlp.forward(x)));
    assert_as_plain(&model, forward);
    let (_, grads) = run(&model, forward);
    assert_eq!(grads.iter().filter(|grad| grad.is_some()).count(), 2);
}

#[test]
fn frozen_module_with_tracked_input() {
    let device = device();
    let model = (Mlp::new(4, &device), Mlp::new(4, &device).freeze());
    let x = numbers([3, 4], &device);
    assert_as_plain(&model, |(first, frozen): &(Mlp, Mlp)| {
        let h = first.forward(x.clone());
        loss(checkpoint(frozen, (h,), |mlp, (h,)| mlp.forward(h)))
    });
}

#[test]
fn parameters_that_the_forward_does_not_use_get_no_gradient() {
    let device = device();
    let model = Mlp::new(4, &device);
    let x = numbers([3, 4], &device);
    assert_as_plain(&model, |model| {
        loss(checkpoint(model, (x.clone(),), |mlp, (x,)| {
            mlp.up.forward(x)
        }))
    });
}

/// y = w (w x) with x = 3, w = 2: dy/dw = 2 w x = 12.
#[test]
fn c17_a_weight_tied_over_two_segments() {
    #[derive(Module, Debug)]
    struct Scale {
        w: Param<Tensor<1>>,
    }
    let device = device();
    let model = Scale {
        w: Param::from_data([2.0], &device),
    };
    let scale = |x| checkpoint(&model, (x,), |model, (x,)| model.w.val() * x);
    let y = scale(scale(Tensor::from_floats([3.0], &device)));
    let grads = y.backward();
    let dw = model.w.val().grad(&grads).unwrap();
    assert_eq!(dw.into_data().try_to_vec::<f32>().unwrap(), [12.0]);
}

#[test]
fn lora_reparameterised_parameters() {
    let device = device();
    let model = Mlp::new(4, &device).apply_lora(Lora::new(2, 2.0));
    let x = numbers([3, 4], &device);
    assert_as_plain(&model, |model| {
        loss(checkpoint(model, (x.clone(),), |mlp, (x,)| mlp.forward(x)))
    });
}

/// Packed base weights under trainable adapters. (How weights are packed differs between backends.)
#[cfg(not(cube))]
#[test]
fn quantized_weights_with_lora() {
    use burn::module::Quantizer;
    use burn::tensor::quantization::{Calibration, QuantScheme, QuantStore};
    let device = device();
    let scheme = QuantScheme::default().with_store(QuantStore::Native);
    let mut quantizer = Quantizer::new(Calibration::MinMax, scheme);
    let mut model = Mlp::new(4, &device);
    model.up = model
        .up
        .quantize_weights(&mut quantizer)
        .apply_lora(Lora::new(2, 2.0));
    let x = numbers([3, 4], &device);
    assert_as_plain(&model, |model| {
        loss(checkpoint(model, (x.clone(),), |mlp, (x,)| mlp.forward(x)))
    });
}

/// A teacher, a frozen backbone: dropout and batch normalisation stay in inference mode.
#[test]
fn modules_in_inference_mode_under_a_tracked_input() {
    let device = device();
    let teacher = (
        BatchNormConfig::new(4).init(&device),
        DropoutConfig::new(0.5).init(),
    )
        .valid();
    let model = LinearConfig::new(4, 4).init(&device);
    let x = numbers([3, 4], &device);
    assert_as_plain(&model, |model: &Linear| {
        let h = model.forward(x.clone());
        loss(checkpoint(&teacher, (h,), |(norm, dropout), (h,)| {
            dropout.forward(norm.forward(h))
        }))
    });
}

/// Master weights: the module's parameters are results of a cast of f32 leaves.
#[test]
fn parameters_that_are_results_of_operations() {
    struct Cast;
    impl ModuleMapper for Cast {
        fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
            param.map(|value| value * 0.5)
        }
    }
    let device = device();
    let model = Mlp::new(4, &device);
    let x = numbers([3, 4], &device);
    assert_as_plain(&model, |model| {
        let halved = model.clone().map(&mut Cast);
        loss(checkpoint(&halved, (x.clone(),), |mlp, (x,)| {
            mlp.forward(x)
        }))
    });
}

#[test]
fn bf16_input_and_parameters() {
    struct Cast;
    impl ModuleMapper for Cast {
        fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
            param.map(|value| value.cast(FloatDType::BF16))
        }
    }
    let device = device();
    if !device.supports_dtype(FloatDType::BF16) {
        return;
    }
    let model = Mlp::new(4, &device);
    let x = numbers([3, 4], &device).cast(FloatDType::BF16);
    assert_as_plain(&model, |model| {
        let low = model.clone().map(&mut Cast);
        let y = checkpoint(&low, (x.clone(),), |mlp, (x,)| mlp.forward(x));
        assert_eq!(y.dtype(), burn::tensor::DType::BF16);
        loss(y.cast(FloatDType::F32))
    });
}

/// C11: keyword-like options and their absence, in any order.
#[test]
fn c11_c12_values_of_every_kind_among_the_inputs() {
    let device = device();
    let model = Mlp::new(4, &device);
    let x = numbers([3, 4], &device).require_grad();
    let indices = Tensor::from_ints([2, 0, 1], &device);
    let keep = Tensor::<1, burn::tensor::Bool>::from_bool(
        burn::tensor::TensorData::from([true, false, true, true]),
        &device,
    );
    assert_as_plain(&model, |model| {
        let inputs = (
            None::<Tensor<1>>,
            2.0_f32,
            indices.clone(),
            "residual",
            x.clone(),
            [true, false],
            Some(keep.clone()),
        );
        let y = checkpoint(
            model,
            inputs,
            |mlp, (bias, scale, indices, mode, x, flags, keep)| {
                assert_eq!((mode, flags), ("residual", [true, false]));
                assert!(bias.is_none());
                let h = mlp.forward(x.clone().select(0, indices));
                let h = h.mask_fill(keep.unwrap().unsqueeze(), scale);
                x + h
            },
        );
        loss(y)
    });
}

/// I09: gradients of a layer whose gradient needs its input, next to the ends of the segment.
#[test]
fn c23_relu_at_the_end_of_a_segment() {
    use burn::nn::{InstanceNormConfig, Relu};
    let device = device();
    let model = (InstanceNormConfig::new(2).init(&device), Relu::new());
    let x = Tensor::<3>::ones([3, 2, 1], &device).require_grad();
    let y = checkpoint(&model, (x.clone(),), |(norm, relu), (x,)| {
        relu.forward(norm.forward(x))
    });
    let grads = y.sum().backward();
    let gradient = x.grad(&grads).expect("the gradient arrives");
    assert_eq!(gradient.into_data().try_to_vec::<f32>().unwrap(), [0.0; 6]);
}
