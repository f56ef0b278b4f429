//! Which layers a strategy is for. Of types that are not burn's only rustc knows, or the runtime.

use crate::{
    burn::{self, Casts, Gradient, Kept, Known, Work},
    error::Errors,
    kind::{integer, layer_type},
    model::Layer,
    strategy::Strategy,
    syntax::show,
};

/// Reports a strategy on a layer that it is not for.
pub fn check(layer: &Layer, errors: &mut Errors) -> bool {
    let known = burn::known(&layer.original.ty);
    let fits = known.is_none_or(|known| check_known(layer, &known, errors));
    fits && check_precision(layer, errors) && check_signs(layer, errors)
}

fn check_known(layer: &Layer, known: &Known, errors: &mut Errors) -> bool {
    let fits = match layer.annotation.strategy {
        Strategy::Checkpoint
        | Strategy::CheckpointSequence
        | Strategy::Autocast
        | Strategy::AutocastAttention
        | Strategy::Quantize => true,
        Strategy::Recompute => check_cheap(layer, known, errors),
        Strategy::RecomputeAttention => check_attention(known, errors),
        Strategy::FrozenStats => check_statistics(known, errors),
        Strategy::Inplace => check_inplace(known, errors),
    };
    fits && check_kept(layer, known, errors)
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

/// A gradient that needs the input would find the output there.
fn check_inplace(known: &Known, errors: &mut Errors) -> bool {
    let name = &known.name;
    let message = match known.gradient() {
        Gradient::OfOutput | Gradient::OfMask | Gradient::OfSides => return true,
        Gradient::OfInput => format!(
            "the gradient of `{name}` needs its input, so it cannot overwrite it\
             \n\nhelp: write `#[recompute(cheap)]`, with which the input is kept and the output is not"
        ),
        Gradient::Unknown => format!(
            "`{name}` is no activation, so it cannot overwrite its input\
             \n\nhelp: `#[inplace]` is for `Relu`, `LeakyRelu`, `Relu6`, `Hardtanh`, `HardSigmoid`, `Sigmoid`, `Tanh`, `Elu`, \
             `Celu` and `Selu`, and for `Dropout`, `Softmax`, `LogSoftmax` and `Scale` of `remat::nn`"
        ),
    };
    errors.at(known.ty, &message);
    false
}

/// Where there is nothing to compress, `#[quantize]` would do nothing.
fn check_kept(layer: &Layer, known: &Known, errors: &mut Errors) -> bool {
    if layer.annotation.options.quantization.is_none() {
        return true;
    }
    let help = match known.kept {
        Kept::Indices => "remove `#[quantize(..)]`: the gradient needs the indices as they are",
        // A segment keeps its input, whatever is in it.
        _ if layer.annotation.strategy.keeps_input() => return true,
        Kept::Mask => {
            "remove `#[quantize(..)]`; with `remat::nn::Dropout`, the mask is not kept either"
        }
        Kept::Results => {
            "it keeps results of its own; with `#[recompute(cheap)]` as well, it keeps only its input, and that compressed"
        }
        Kept::Nothing => "remove `#[quantize(..)]`",
        Kept::Values => return true,
    };
    let name = &known.name;
    errors.at(
        known.ty,
        &format_args!(
            "`{name}` keeps nothing of its input that could be compressed\n\nhelp: {help}"
        ),
    );
    false
}

/// What would be wrong or too coarse in 16 bits.
fn check_precision(layer: &Layer, errors: &mut Errors) -> bool {
    let casting = layer.annotation.options.casting.as_ref();
    let Some(casting) = casting.filter(|casting| casting.precision.is_low()) else {
        return true;
    };
    let ty = layer_type(&layer.original.ty);
    let (why, help) = match burn::casts(ty) {
        Some(Casts::Sums) => (
            "takes sums, for which 16 bits are too coarse",
            "remove `#[autocast(..)]`: a normalisation stays in f32. Among layers in 16 bits, `#[autocast(f32)]` makes \
             it an island",
        ),
        Some(Casts::Loss) => (
            "is a loss, which is too coarse in 16 bits to train with",
            "remove `#[autocast(..)]`: a loss stays in f32",
        ),
        Some(Casts::OnlyF32(why)) => (why, "write `#[autocast(f32)]` on this field"),
        Some(Casts::Attention) if !layer.annotation.strategy.takes_attention_apart() => (
            "takes a softmax, for which 16 bits are too coarse",
            "write `#[recompute(attention)]` instead, which has it in f32 and keeps little more than a checkpoint, or \
             put the attention into a struct of its own with `#[autocast(..)]`",
        ),
        _ => return true,
    };
    let name = show(ty);
    let precision = casting.precision.variant().to_lowercase();
    errors.at(
        ty,
        &format_args!("`{name}` cannot compute in {precision}: it {why}\n\nhelp: {help}"),
    );
    false
}

/// A gradient from signs would be wrong anywhere else, also in a type that is not known. (A segment keeps no signs.)
fn check_signs(layer: &Layer, errors: &mut Errors) -> bool {
    let quantization = layer.annotation.options.quantization.as_ref();
    let signs = quantization.is_some_and(|quantization| integer(&quantization.bits) == Some(1));
    let ty = layer_type(&layer.original.ty);
    if !signs || burn::needs_signs_only(ty) {
        return true;
    }
    errors.at(
        ty,
        &"1 bit keeps the sign only, which is enough for the gradient of `Relu`\
          \n\nhelp: write `bits = 2` or more",
    );
    false
}
