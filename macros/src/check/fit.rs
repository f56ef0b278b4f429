//! Which of burn's layers a strategy is for. Of other types only rustc knows, or the runtime.

use crate::{
    burn::{self, Known, Work},
    error::Errors,
    model::Layer,
    strategy::Strategy,
};

/// Reports a strategy on a layer of burn's that it is not for.
pub fn check(layer: &Layer, errors: &mut Errors) -> bool {
    let Some(known) = burn::known(&layer.original.ty) else {
        return true;
    };
    match layer.annotation.strategy {
        Strategy::Checkpoint | Strategy::CheckpointSequence => true,
        Strategy::Recompute => check_cheap(layer, &known, errors),
        Strategy::RecomputeAttention => check_attention(&known, errors),
        Strategy::FrozenStats => check_statistics(&known, errors),
    }
}

/// Running a matrix product or a convolution again is what `#[checkpoint]` is for: there it pays to keep the input only.
fn check_cheap(layer: &Layer, known: &Known, errors: &mut Errors) -> bool {
    let help = match known.work {
        Work::Little | Work::Statistics => return true,
        Work::Products => {
            "`#[recompute(cheap)]` is for normalisation, activations and pooling; put `#[checkpoint]` on a block with \
             this layer in it"
        }
        Work::Attention => {
            "write `#[recompute(attention)]`, which keeps no attention weights, or put `#[checkpoint]` on a block with \
             this layer in it"
        }
    };
    let name = &known.name;
    errors.at(
        layer.attribute(),
        &format_args!(
            "`{name}` is not cheap to run again, and its input is kept in any case\n\nhelp: {help}"
        ),
    );
    false
}

fn check_attention(known: &Known, errors: &mut Errors) -> bool {
    let instead = match known.work {
        Work::Attention => return true,
        Work::Products => "#[checkpoint]",
        Work::Little | Work::Statistics => "#[recompute(cheap)]",
    };
    let name = &known.name;
    errors.at(
        known.ty,
        &format_args!(
            "`#[recompute(attention)]` is for burn's `MultiHeadAttention`, and not for `{name}`\n\nhelp: write \
             `{instead}`; for attention that you write by hand, there is `remat::nn::Attention`"
        ),
    );
    false
}

fn check_statistics(known: &Known, errors: &mut Errors) -> bool {
    if known.work == Work::Statistics {
        return true;
    }
    let name = &known.name;
    errors.at(
        known.ty,
        &format_args!(
            "`{name}` has no running statistics\n\nhelp: `#[frozen_stats]` is for `BatchNorm`, and for modules that \
             contain one"
        ),
    );
    false
}
