//! What is used several times: sums of gradients in the order of plain burn.

use crate::support::{Mlp, assert_as_plain, device, loss, numbers, run};
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::{LayerNorm, LayerNormConfig, Linear, LinearConfig, Lstm, LstmConfig};
use burn::tensor::{Tensor, Tolerance};
use remat::{checkpoint, recompute};

fn mlp(mlp: &Mlp, x: Tensor<2>) -> Tensor<2> {
    checkpoint(mlp, (x,), |mlp, (x,)| mlp.forward(x))
}

#[test]
fn a_layer_in_five_segments_one_after_the_other() {
    let device = device();
    let model = Mlp::new(16, &device);
    let x = numbers([30, 16], &device);
    assert_as_plain(&model, |model| {
        loss((0..5).fold(x.clone(), |x, _| mlp(model, x)))
    });
}

#[test]
fn a_layer_in_five_segments_side_by_side() {
    let device = device();
    let model = Mlp::new(16, &device);
    let x = numbers([30, 16], &device);
    assert_as_plain(&model, |model| {
        let branches = (1..6).map(|scale| mlp(model, x.clone() * scale as f32));
        loss(branches.reduce(|a, b| a + b).unwrap())
    });
}

#[test]
fn one_tensor_as_three_inputs() {
    let device = device();
    let attention = MultiHeadAttentionConfig::new(16, 2)
        .with_dropout(0.0)
        .init(&device);
    let model = (LinearConfig::new(16, 16).init(&device), attention);
    let x = numbers([2, 15, 16], &device);
    assert_as_plain(
        &model,
        |(first, attention): &(Linear, MultiHeadAttention)| {
            let h = first.forward(x.clone());
            let inputs = (h.clone(), h.clone(), h);
            let y = checkpoint(attention, inputs, |attention, (q, k, v)| {
                attention.forward(MhaInput::new(q, k, v)).context
            });
            loss(y)
        },
    );
}

/// The input of a residual layer is used inside of the segment, three times, and past it: its gradients are added
/// one to the other as in plain burn.
#[test]
fn a_residual_input_that_is_used_often_inside() {
    let device = device();
    let attention = || {
        MultiHeadAttentionConfig::new(16, 2)
            .with_dropout(0.0)
            .init(&device)
    };
    let model = (
        LinearConfig::new(16, 16).init(&device),
        [attention(), attention()],
    );
    let x = numbers([2, 15, 16], &device);
    assert_as_plain(
        &model,
        |(first, layers): &(Linear, [MultiHeadAttention; 2])| {
            let x = first.forward(x.clone());
            let y = layers.iter().fold(x.clone(), |x, attention| {
                x.clone()
                    + checkpoint(attention, (x.clone(), x), |attention, (x, again)| {
                        attention
                            .forward(MhaInput::new(x.clone(), again, x))
                            .context
                    })
            });
            loss(y * x)
        },
    );
}

/// The same in a segment inside another one.
#[test]
fn a_residual_input_of_nested_segments() {
    type Net = (Linear, LayerNorm, MultiHeadAttention);
    let device = device();
    let attention = MultiHeadAttentionConfig::new(16, 2)
        .with_dropout(0.0)
        .init(&device);
    let norm = LayerNormConfig::new(16).init(&device);
    let model: Net = (LinearConfig::new(16, 16).init(&device), norm, attention);
    let x = numbers([2, 15, 16], &device);
    assert_as_plain(&model, |model| {
        let x = model.0.forward(x.clone());
        let y = checkpoint(model, (x.clone(),), |(_, norm, attention), (x,)| {
            let h = recompute(norm, (x.clone(),), |norm, (x,)| norm.forward(x));
            let h = checkpoint(attention, (h,), |attention, (h,)| {
                attention.forward(MhaInput::self_attn(h)).context
            });
            x + h
        });
        loss(y * x)
    });
}

/// Each call of the LSTM uses its weights once a time step. Plain burn adds all those gradients up
/// one after the other, a segment first those of its own steps: equal up to rounding.
#[test]
fn weights_used_often_in_each_of_two_segments() {
    let device = device();
    let model = LstmConfig::new(8, 8, true).init(&device);
    let x = numbers([4, 7, 8], &device);
    let forward = |model: &Lstm| {
        let (y, state) = checkpoint(model, (x.clone(),), |lstm, (x,)| lstm.forward(x, None));
        let inputs = (y, state);
        let (y, state) = checkpoint(model, inputs, |lstm, (y, state)| {
            lstm.forward(y, Some(state))
        });
        loss(y) + loss(state.cell) + loss(state.hidden)
    };
    let (_, grads) = run(&model, forward);
    let (_, plain_grads) = remat::without_strategies(|| run(&model, forward));
    for (gradient, plain) in grads.iter().zip(&plain_grads) {
        let (Some(gradient), Some(plain)) = (gradient, plain) else {
            panic!("every weight has a gradient");
        };
        gradient.assert_approx_eq::<f32>(plain, Tolerance::rel_abs(1e-5, 1e-6));
    }
}
