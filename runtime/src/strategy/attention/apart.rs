//! The forward pass of burn's `MultiHeadAttention` with its core as a node.

use super::super::casting::rows;
use super::super::compression::Quantize;
use super::super::segment::Label;
use super::node::Core;
use super::weighing::{Scale, Softmax, Weighing};
use crate::nn::{Mask, MhaInput};
use burn::module::Module;
use burn::nn::Linear;
use burn::nn::attention::{MhaOutput, MultiHeadAttention};
use burn::tensor::{Device, FloatDType, Tensor};

/// What is kept and computed otherwise than burn does.
#[derive(Clone, Copy)]
pub(super) struct Apart {
    /// How inputs, queries, keys, values and the weighted sum are kept, if not as they are.
    pub(super) compression: Option<Quantize>,
    /// In what scores and weights are computed, if not in what queries and keys are in.
    pub(super) computes_in: Option<FloatDType>,
    /// Whether the weights are kept, or computed again.
    pub(super) keeps_weights: bool,
}

impl Apart {
    pub(super) fn forward(self, attention: &MultiHeadAttention, input: MhaInput) -> MhaOutput {
        let device = device(attention, &input);
        let input = match self.compression {
            Some(compression) => compression.tree(&input),
            None => input,
        };
        let [batch, queries, d_model] = input.query.dims();
        let weighing = weighing(attention, &input, self.computes_in);
        let q = self.projected(attention, &attention.query, input.query);
        let k = self.projected(attention, &attention.key, input.key);
        let v = self.projected(attention, &attention.value, input.value);
        let dropout = &attention.dropout;
        let drops = dropout.prob > 0.0 && dropout.training.is_enabled();
        let device = device.filter(|_| drops);
        let mask = device.map(|device| Mask::next(dropout.prob, &device));

        let core = Core::new(weighing, q, k, v, mask).compressed(self.compression);
        let core = if self.keeps_weights {
            core.keeping_weights()
        } else {
            core
        };
        let (weights, context) = core.forward_with_weights();
        let context = context.swap_dims(1, 2);
        let context = context.reshape([batch, queries, d_model]);
        let context = match self.compression {
            Some(compression) => compression.tensor(context),
            None => context,
        };
        MhaOutput {
            weights,
            context: self.linear(&attention.output, context),
        }
    }
}

impl Apart {
    fn projected(self, attention: &MultiHeadAttention, linear: &Linear, x: Tensor<3>) -> Tensor<4> {
        let [batch, length, _] = x.dims();
        self.linear(linear, x)
            .reshape([batch, length, attention.n_heads, attention.d_k])
            .swap_dims(1, 2)
    }

    /// A layer's product; of a cast weight, nothing is kept.
    fn linear(self, linear: &Linear, x: Tensor<3>) -> Tensor<3> {
        if self.computes_in.is_none() {
            return linear.forward(x);
        }
        let [batch, length, _] = x.dims();
        let y = linear.forward(rows(&x));
        let [_, width] = y.dims();
        y.reshape([batch, length, width])
    }
}

/// Where autodiff is on for anything that comes together here, it is for what comes of it.
pub(super) fn device(attention: &MultiHeadAttention, input: &MhaInput) -> Option<Device> {
    let inputs = [&input.query, &input.key, &input.value].map(Tensor::device);
    let of_input = inputs.into_iter().find(Device::is_autodiff);
    of_input.or_else(|| attention.devices().into_iter().find(Device::is_autodiff))
}

fn weighing(
    attention: &MultiHeadAttention,
    input: &MhaInput,
    computes_in: Option<FloatDType>,
) -> Weighing {
    let pad = input.mask_pad.clone().map(|mask| {
        let [batch, keys] = mask.dims();
        mask.reshape([batch, 1, 1, keys])
    });
    let attn = input.mask_attn.clone().map(|mask| {
        let [batch, queries, keys] = mask.dims();
        mask.reshape([batch, 1, queries, keys])
    });
    Weighing {
        scale: Scale::Over((attention.d_k as f32).sqrt()),
        softcap: None,
        masks: pad.into_iter().chain(attn).collect(),
        fill: attention.min_float,
        causal: false,
        bias: None,
        softmax: if attention.quiet_softmax {
            Softmax::Quiet
        } else {
            Softmax::Plain
        },
        computes_in,
    }
}

/// What burn asserts, and what it would find out about the masks later.
pub(super) fn check(label: Label, input: &MhaInput, d_model: usize) {
    let [batch, queries, _] = input.query.dims();
    let [_, keys, _] = input.key.dims();
    let expect = |what: &str, found: [usize; 3], expected: [usize; 3]| {
        if found != expected {
            label.fail(format_args!(
                "{what} has the shape {found:?}, where {expected:?} is expected ([batch, length, d_model])"
            ));
        }
    };
    expect("`query`", input.query.dims(), [batch, queries, d_model]);
    expect("`key`", input.key.dims(), [batch, keys, d_model]);
    expect("`value`", input.value.dims(), [batch, keys, d_model]);

    let fits = |found: &[usize], expected: &[usize]| {
        let mut pairs = found.iter().zip(expected);
        pairs.all(|(found, expected)| *found == 1 || found == expected)
    };
    if let Some(mask) = &input.mask_pad
        && !fits(&mask.dims(), &[batch, keys])
    {
        label.fail(format_args!(
            "`mask_pad` has the shape {:?}, where {:?} is expected ([batch, keys])",
            mask.dims(),
            [batch, keys],
        ));
    }
    if let Some(mask) = &input.mask_attn
        && !fits(&mask.dims(), &[batch, queries, keys])
    {
        label.fail(format_args!(
            "`mask_attn` has the shape {:?}, where {:?} is expected ([batch, queries, keys])",
            mask.dims(),
            [batch, queries, keys],
        ));
    }
}
