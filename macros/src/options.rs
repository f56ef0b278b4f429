//! What an annotation says, in the words of the runtime: the value of its constant.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, Path};

use crate::{
    attr::{Annotation, Casting, Grouping, Precision, Quantization, Rounding, Segments},
    model::Layer,
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
//     #[checkpoint(early_stop)]
//
// Output:
//     ::remat::Checkpoint::named("Stack.blocks").stops_early::<Vec<Block>>()
//
// Input:
//     #[quantize(bits = 8, group = 64)]
//
// Output:
//     ::remat::Quantize::bits(8).named("Block.up").group(64)
//
// Input:
//     #[autocast(bf16, output = f32)]
//
// Output:
//     ::remat::Autocast::new(::remat::amp::Precision::BF16)
//         .named("Block.up")
//         .output(::remat::amp::Precision::F32)
pub fn expand(krate: &Path, label: &str, layer: &Layer) -> TokenStream {
    let Annotation {
        strategy, options, ..
    } = &layer.annotation;
    let (span, ty) = (layer.constant.span(), &layer.original.ty);
    let quantize = options.quantization.as_ref();
    let casting = options.casting.as_ref();
    let single = match (strategy, quantize, casting) {
        (Strategy::Quantize, Some(quantization), _) => {
            return expand_quantization(krate, quantization, Some(label));
        }
        (Strategy::Autocast | Strategy::AutocastAttention, _, Some(casting)) => {
            let cast = expand_casting(krate, casting, Some(label));
            let compressed = quantize.map(|compression| expand_compression(krate, compression));
            return quote_spanned!(casting.span=> #cast #compressed);
        }
        // `.segments(..)` makes groups of a single layer's options.
        (Strategy::CheckpointSequence, ..) => Strategy::Checkpoint,
        (single, ..) => *single,
    };
    let single = format_ident!("{}", single.options());
    let early_stop = options
        .early_stop
        .map(|place| quote_spanned!(place=> .stops_early::<#ty>()));
    let deterministic = options.deterministic.then(|| quote!(.deterministic()));
    let updating = options.updating.then(|| quote!(.updating()));
    let quantize = quantize.map(|quantization| expand_compression(krate, quantization));
    let autocast = casting.map(|casting| {
        let cast = expand_casting(krate, casting, None);
        quote_spanned!(casting.span=> .autocast(#cast))
    });
    let grouping = options.grouping.as_ref();
    let segments = grouping.map(|grouping| expand_segments(krate, grouping, span));
    quote_spanned! {span=>
        #krate::#single::named(#label)
            #early_stop #deterministic #updating #quantize #autocast #segments
    }
}

/// `::remat::Autocast::new(::remat::amp::Precision::BF16).named("Block.up").output(::remat::amp::Precision::F32)`
fn expand_casting(krate: &Path, casting: &Casting, label: Option<&str>) -> TokenStream {
    let Casting {
        span,
        precision,
        output,
    } = casting;
    let span = *span;
    let variant = |precision: Precision| {
        let variant = Ident::new(precision.variant(), span);
        quote_spanned!(span=> #krate::amp::Precision::#variant)
    };
    let precision = variant(*precision);
    let named = label.map(|label| quote_spanned!(span=> .named(#label)));
    let output = output.map(|output| {
        let output = variant(output);
        quote_spanned!(span=> .output(#output))
    });
    quote_spanned!(span=> #krate::Autocast::new(#precision) #named #output)
}

/// `.quantize(::remat::Quantize::bits(8))`
fn expand_compression(krate: &Path, quantization: &Quantization) -> TokenStream {
    let compressed = expand_quantization(krate, quantization, None);
    quote_spanned!(quantization.span=> .quantize(#compressed))
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
