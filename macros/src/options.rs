//! What an annotation says, in the words of the runtime: the value of its constant.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Path;

use crate::{
    attr::{Annotation, Grouping, Quantization, Rounding, Segments},
    strategy::Strategy,
};

// Input:
//     #[checkpoint(every = 4, keep_last, deterministic)]
//     #[quantize(bits = 4)]
//
// Output:
//     ::remat::Checkpoint::named("Stack.layers")
//         .deterministic()
//         .quantize(::remat::Quantize::bits(4))
//         .segments(::remat::Segments::every(4).keep_last())
//
// Input:
//     #[quantize(bits = 8, group = 64)]
//
// Output:
//     ::remat::Quantize::bits(8).named("Block.up").group(64)
pub fn expand(krate: &Path, label: &str, annotation: &Annotation, span: Span) -> TokenStream {
    let Annotation {
        strategy, options, ..
    } = annotation;
    let quantize = options.quantization.as_ref();
    let single = match (strategy, quantize) {
        (Strategy::Quantize, Some(quantization)) => {
            return expand_quantization(krate, quantization, Some(label));
        }
        // `.segments(..)` makes groups of a single layer's options.
        (Strategy::CheckpointSequence, _) => Strategy::Checkpoint,
        (single, _) => *single,
    };
    let single = format_ident!("{}", single.options());
    let deterministic = options.deterministic.then(|| quote!(.deterministic()));
    let updating = options.updating.then(|| quote!(.updating()));
    let quantize = quantize.map(|quantization| {
        let compressed = expand_quantization(krate, quantization, None);
        quote_spanned!(quantization.span=> .quantize(#compressed))
    });
    let grouping = options.grouping.as_ref();
    let segments = grouping.map(|grouping| expand_segments(krate, grouping, span));
    quote_spanned! {span=>
        #krate::#single::named(#label) #deterministic #updating #quantize #segments
    }
}

/// `::remat::Quantize::bits(8).named("Block.up").group(64)`
fn expand_quantization(
    krate: &Path,
    quantization: &Quantization,
    label: Option<&str>,
) -> TokenStream {
    let Quantization {
        span,
        bits,
        group,
        rounding,
        min_elements,
    } = quantization;
    let span = *span;
    let named = label.map(|label| quote_spanned!(span=> .named(#label)));
    let group = group
        .as_ref()
        .map(|elements| quote_spanned!(span=> .group(#elements)));
    let rounding = rounding.map(|rounding| match rounding {
        Rounding::Nearest => quote_spanned!(span=> .rounding(#krate::Rounding::Nearest)),
        Rounding::Stochastic => quote_spanned!(span=> .rounding(#krate::Rounding::Stochastic)),
    });
    let min_elements = min_elements
        .as_ref()
        .map(|elements| quote_spanned!(span=> .min_elements(#elements)));
    quote_spanned! {span=>
        #krate::Quantize::bits(#bits) #named #group #rounding #min_elements
    }
}

/// `.segments(::remat::Segments::every(4).keep_last())`
fn expand_segments(krate: &Path, grouping: &Grouping, span: Span) -> TokenStream {
    let segments = match &grouping.segments {
        Segments::Every(layers) => quote_spanned!(span=> every(#layers)),
        Segments::Count(segments) => quote_spanned!(span=> count(#segments)),
        Segments::Sqrt => quote_spanned!(span=> sqrt()),
        Segments::Recursive => quote_spanned!(span=> recursive()),
    };
    let keep_last = grouping
        .keep_last
        .then(|| quote_spanned!(span=> .keep_last()));
    quote_spanned!(span=> .segments(#krate::Segments::#segments #keep_last))
}
