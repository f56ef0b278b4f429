//! The rules about annotated fields that need more than the attribute itself.

mod fit;

use syn::Meta;

use crate::{
    attr::{self, Grouping, Segments},
    error::Errors,
    kind::{Shape, array_length, integer, is_nested, not_a_layer},
    model::{Container, Layer, Step, Tail},
    strategy::Strategy,
    syntax::show,
};

/// Reports the fields that cannot work, and takes them out.
pub fn check(container: &mut Container, errors: &mut Errors) {
    container.layers.retain(|layer| {
        let layer_type = check_type(layer, errors);
        let visited = check_visited(layer, errors);
        let grouped = layer_type && check_grouping(layer, errors);
        let fits = layer_type && fit::check(layer, errors);
        layer_type && visited && grouped && fits
    });
    container.tails.retain(|tail| check_tail(tail, errors));
    if let Some(sequential) = &mut container.sequential {
        if sequential.steps.is_empty() {
            errors.at(
                &sequential.key,
                &"`sequential` runs the layers of the struct, and there is no field to run",
            );
        }
        let layers = &container.layers;
        sequential
            .steps
            .retain(|step| check_step(step, errors) && check_input(step, layers, errors));
    }
}

/// A field of a type that has no `forward` cannot be a layer. Only what the syntax shows is found here; the rest
/// (a type of the user's that is no module) is for rustc, which knows.
fn check_type(layer: &Layer, errors: &mut Errors) -> bool {
    let Some((ty, reason)) = not_a_layer(&layer.original.ty) else {
        return true;
    };
    errors.at(
        ty,
        &format_args!(
            "`{}` is {reason}, not a layer\n\nhelp: `#[{}]` goes on a field that is a module with a `forward` \
             method, or an `Option`, a `Vec` or an array of such modules",
            show(ty),
            layer.annotation.strategy.attribute()
        ),
    );
    false
}

fn check_tail(tail: &Tail, errors: &mut Errors) -> bool {
    let ty = &tail.original.ty;
    if matches!(Shape::of(ty), Shape::Optional | Shape::List) {
        errors.at(
            ty,
            &format_args!(
                "`{}` cannot be a tail, which is one layer that is always there\n\nhelp: remove `#[remat(tail)]`",
                show(ty)
            ),
        );
        return false;
    }
    let Some((ty, reason)) = not_a_layer(ty) else {
        return true;
    };
    errors.at(
        ty,
        &format_args!(
            "`{}` is {reason}, not a layer\n\nhelp: `#[remat(tail)]` goes on the last layer of a block, such as a \
             `Linear` whose output is only added to others and returned",
            show(ty)
        ),
    );
    false
}

/// burn does not visit a field with `#[module(skip)]`, so its parameters would get no gradients.
fn check_visited(layer: &Layer, errors: &mut Errors) -> bool {
    let skipped = attr::named(&layer.original.attrs, "module")
        .any(|attr| matches!(&attr.meta, Meta::List(list) if list.tokens.to_string() == "skip"));
    if skipped {
        let what = match layer.annotation.strategy {
            Strategy::FrozenStats => "have frozen statistics",
            Strategy::Autocast | Strategy::AutocastAttention => "compute in another precision",
            Strategy::Quantize => "keep its inputs compressed",
            Strategy::Inplace => "be in place",
            Strategy::Recompute | Strategy::RecomputeAttention => "be recomputed",
            Strategy::Checkpoint | Strategy::CheckpointSequence => "be checkpointed",
        };
        errors.at(
            layer.attribute(),
            &format_args!(
                "a field with `#[module(skip)]` cannot {what}: burn does not visit it, so its parameters would get no \
                 gradients\n\nhelp: remove one of the two attributes"
            ),
        );
    }
    !skipped
}

/// The layers of a group are neighbours in a list.
fn check_grouping(layer: &Layer, errors: &mut Errors) -> bool {
    let Some(grouping) = &layer.annotation.options.grouping else {
        return true;
    };
    let ty = &layer.original.ty;
    if matches!(Shape::of(ty), Shape::Optional | Shape::Single) {
        let key = show(&grouping.key);
        errors.at(
            ty,
            &format_args!(
                "`{}` is no list of layers, and `{key}` groups the layers of a `Vec` or an array\n\nhelp: a single \
                 layer or an `Option` takes `#[checkpoint]` without `{key}`; in front of a list, take the `Option` or \
                 the container away",
                show(ty)
            ),
        );
        return false;
    }
    check_number(grouping, layer, errors)
}

/// `segments = 5` of three layers would be a panic at run time.
fn check_number(grouping: &Grouping, layer: &Layer, errors: &mut Errors) -> bool {
    let Segments::Count(count) = &grouping.segments else {
        return true;
    };
    match (integer(count), array_length(&layer.original.ty)) {
        (Some(segments), Some(layers)) if segments > layers => {
            errors.at(
                count,
                &format_args!(
                    "{segments} segments of {layers} layers: there are more segments than layers\n\nhelp: write \
                     `#[checkpoint]` to make each layer a segment of its own"
                ),
            );
            false
        }
        _ => true,
    }
}

/// A field of a sequential module is run, so it has to be a layer.
fn check_step(step: &Step, errors: &mut Errors) -> bool {
    let annotated = step.original.attrs.iter().any(attr::is_strategy);
    match not_a_layer(&step.original.ty) {
        // The annotation has been reported for that.
        Some(_) if annotated => false,
        Some((ty, reason)) => {
            errors.at(
                ty,
                &format_args!(
                    "`{}` is {reason}, not a layer, and `sequential` runs every field\n\nhelp: put `#[remat(skip)]` \
                     on this field to leave it out",
                    show(ty)
                ),
            );
            false
        }
        None if is_nested(&step.original.ty) => {
            let ty = &step.original.ty;
            errors.at(
                ty,
                &format_args!(
                    "`sequential` runs an `Option` or a list of layers, and `{}` is one in the other\n\nhelp: write \
                     `forward` yourself, or make the inner one a struct of its own",
                    show(ty)
                ),
            );
            false
        }
        None => true,
    }
}

/// What goes through a sequential module is not what an attention takes.
fn check_input(step: &Step, layers: &[Layer], errors: &mut Errors) -> bool {
    let attention = layers.iter().find(|layer| {
        layer.member == step.member && layer.annotation.strategy.takes_attention_apart()
    });
    if let Some(attention) = attention {
        errors.at(
            attention.attribute(),
            &"`sequential` hands each layer what the one in front of it gives, and an attention takes an `MhaInput`\
              \n\nhelp: write `forward` yourself, or put the attention into a struct of its own that has one",
        );
    }
    attention.is_none()
}
