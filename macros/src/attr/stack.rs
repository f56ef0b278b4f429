//! Which strategies a field can have two of.

use super::{
    AUTOCAST, CHECKPOINT, FROZEN_STATS, INPLACE, QUANTIZE, RECOMPUTE,
    strategy::{Annotation, Known, Options},
};
use syn::spanned::Spanned;

use crate::{error::Errors, kind::integer};

/// What two strategies on one field are.
enum Pair {
    /// One strategy: the second says more about what the first one keeps.
    Stack(fn(&mut Options, Options, &mut Errors)),
    /// Two that can only be one around the other.
    Nested {
        inner: &'static str,
        outer: &'static str,
    },
    /// Two that exclude each other.
    Exclusive {
        why: &'static str,
        help: &'static str,
    },
}

const FROZEN_IN_CHECKPOINT: Pair = Pair::Nested {
    inner: "#[frozen_stats]",
    outer: "#[checkpoint]",
};

/// The pairs, each in the order in which the strategies of a field are looked for, whatever order they are written in.
static PAIRS: [(&str, &str, Pair); 15] = [
    (CHECKPOINT, AUTOCAST, Pair::Stack(cast_segment)),
    (RECOMPUTE, AUTOCAST, Pair::Stack(cast)),
    (FROZEN_STATS, AUTOCAST, Pair::Stack(cast)),
    (AUTOCAST, QUANTIZE, Pair::Stack(compress_cast_inputs)),
    (CHECKPOINT, QUANTIZE, Pair::Stack(compress_inputs)),
    (
        CHECKPOINT,
        RECOMPUTE,
        Pair::Exclusive {
            why: "a checkpointed layer keeps its output for those who need it",
            help: "remove one of the two",
        },
    ),
    (CHECKPOINT, FROZEN_STATS, FROZEN_IN_CHECKPOINT),
    (RECOMPUTE, FROZEN_STATS, FROZEN_IN_CHECKPOINT),
    (RECOMPUTE, QUANTIZE, Pair::Stack(compress_inputs)),
    (
        FROZEN_STATS,
        QUANTIZE,
        Pair::Exclusive {
            why: "with its running statistics, a layer keeps what it has normalised instead of its input",
            help: "remove one of the two",
        },
    ),
    (
        CHECKPOINT,
        INPLACE,
        Pair::Exclusive {
            why: "a checkpointed layer keeps its input to run again from it, and one in place overwrites it",
            help: "remove `#[checkpoint]`: a layer in place keeps nothing but its output",
        },
    ),
    (
        RECOMPUTE,
        INPLACE,
        Pair::Exclusive {
            why: "a recomputed layer keeps its input to run again from it, and one in place overwrites it",
            help: "remove `#[inplace]` if something else needs the input, or else `#[recompute(..)]`",
        },
    ),
    (
        FROZEN_STATS,
        INPLACE,
        Pair::Exclusive {
            why: "a normalisation is no activation that can overwrite its input",
            help: "remove `#[inplace]`",
        },
    ),
    (
        AUTOCAST,
        INPLACE,
        Pair::Exclusive {
            why: "a cast input is a copy, so nothing would be overwritten, and a layer in place computes in the precision \
                  of its input",
            help: "remove `#[autocast(..)]` from this field",
        },
    ),
    (
        QUANTIZE,
        INPLACE,
        Pair::Exclusive {
            why: "a layer in place keeps nothing of its input that could be compressed",
            help: "remove `#[quantize(..)]`",
        },
    ),
];

/// What any other pair is, until its row says better.
static OTHERS: Pair = Pair::Exclusive {
    why: "a field has one strategy",
    help: "remove one of the two",
};

/// Adds an annotation of a field to the one that it has, or reports that there are two.
pub fn stack(
    (first, kept): (&Known, &mut Annotation),
    (second, added): (&Known, Annotation),
    errors: &mut Errors,
) {
    let is_pair =
        |(one, other, _): &&(&str, &str, Pair)| *one == first.name && *other == second.name;
    let pair = PAIRS.iter().find(is_pair);
    let both = format!("`{}` and `{}` do not stack", first.shown, second.shown);
    let message = match pair.map_or(&OTHERS, |(_, _, pair)| pair) {
        Pair::Stack(stack) => return stack(&mut kept.options, added.options, errors),
        Pair::Nested { inner, outer } => format!(
            "{both} on one field\n\nhelp: put the layer into a struct of its own with `{inner}`, and annotate the \
             field that holds that struct with `{outer}`"
        ),
        Pair::Exclusive { why, help } => format!("{why}: {both}\n\nhelp: {help}"),
    };
    errors.twice(kept.original, added.original, &message);
}

/// The layer computes in another precision, each time that it runs.
fn cast(layer: &mut Options, cast: Options, _: &mut Errors) {
    layer.casting = cast.casting;
}

/// That of a group of layers is what the body of a loop does, which is more than the layers' own calls.
fn cast_segment(layer: &mut Options, cast: Options, errors: &mut Errors) {
    let Some(casting) = cast.casting else { return };
    // The words of the field: the precision may be the default of the struct.
    let (place, why) = match (&layer.grouping, layer.early_stop) {
        (None, None) => {
            layer.casting = Some(casting);
            return;
        }
        (Some(grouping), _) => (
            grouping.key.span(),
            "layers that run again in groups have no precision of their own",
        ),
        (None, Some(place)) => (
            place,
            "a layer whose second run stops early has no precision of its own",
        ),
    };
    let precision = casting.precision.variant().to_lowercase();
    let message = format!(
        "{why}, and this one is to compute in {precision}\n\nhelp: put `#[autocast({precision})]` on the layer's own struct, \
         or on its fields; for a layer of burn's, write a struct around it"
    );
    errors.push(syn::Error::new(place, message));
}

/// What a layer keeps of its cast inputs. Signs are enough where they are without a cast.
fn compress_cast_inputs(layer: &mut Options, compressed: Options, _: &mut Errors) {
    layer.quantization = compressed.quantization;
}

/// What a layer keeps is what it runs again from.
fn compress_inputs(layer: &mut Options, compressed: Options, errors: &mut Errors) {
    let Some(quantization) = compressed.quantization else {
        return;
    };
    if integer(&quantization.bits) == Some(1) {
        errors.at(
            &quantization.bits,
            &"1 bit keeps the sign only, and this layer is computed again from the input that it keeps\
              \n\nhelp: write `bits = 2` or more",
        );
    } else {
        layer.quantization = Some(quantization);
    }
}
