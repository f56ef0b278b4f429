//! `#[derive(Remat)]`: from tokens through the model to the constants and the callback.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::DeriveInput;

use crate::{
    burn,
    check::check,
    error::Errors,
    kind::Shape,
    model::{Container, Layer, Tail},
    options, sequential,
    strategy::Strategy,
    table::{self, Row, Table, callback},
};

pub fn derive(input: &DeriveInput) -> TokenStream {
    let (container, errors) = Errors::collect(|errors| {
        let mut container = Container::from_input(input, errors);
        check(&mut container, errors);
        container
    });
    // Also with errors: without the callback, every `#[remat::forward]` of the struct would report one more.
    let expansion = expand(&container);
    quote!(#expansion #errors)
}

fn expand(container: &Container) -> TokenStream {
    let constants = expand_constants(container);
    let has_tail = expand_has_tail(container);
    let callback = expand_callback(container);
    // Behind the callback, which rewrites it.
    let forward = sequential::expand(container);
    quote!(#constants #has_tail #callback #forward)
}

// Input:
//     #[checkpoint]
//     attention: MultiHeadAttention,
//
// Output:
//     impl Block {
//         pub(crate) const ATTENTION_CHECKPOINT_APPLIED_BY_REMAT_FORWARD: ::remat::Checkpoint =
//             ::remat::Checkpoint::named("Block.attention");
//     }
fn expand_constants(container: &Container) -> Option<TokenStream> {
    if container.layers.is_empty() && container.tails.is_empty() {
        return None;
    }
    let ident = container.ident;
    let (impl_generics, ty_generics, where_clause) = container.generics.split_for_impl();
    let constants = container
        .layers
        .iter()
        .map(|layer| expand_constant(container, layer));
    let tails = container.tails.iter().map(expand_tail);
    Some(quote! {
        impl #impl_generics #ident #ty_generics #where_clause {
            #(#constants)*
            #(#tails)*
        }
    })
}

fn expand_constant(container: &Container, layer: &Layer) -> TokenStream {
    let krate = &container.krate;
    let constant = &layer.constant;
    let label = layer.label(container.ident);
    let ty = format_ident!("{}", layer.annotation.strategy.options());
    let options = options::expand(krate, &label, layer);
    // The place of the attribute: rustc drops a lint about tokens that only a derive has written.
    quote_spanned! {constant.span()=>
        pub(crate) const #constant: #krate::#ty = #options;
    }
}

/// Has nothing to say: a tail that nothing applies is rustc's "constant is never used".
fn expand_tail(tail: &Tail) -> TokenStream {
    let constant = &tail.constant;
    quote_spanned!(constant.span()=> pub(crate) const #constant: () = ();)
}

/// `impl ::remat::HasTail for Block {}`: what a field with `early_stop` asks of its layers.
fn expand_has_tail(container: &Container) -> Option<TokenStream> {
    if container.tails.is_empty() {
        return None;
    }
    let Container { ident, krate, .. } = container;
    let (impl_generics, ty_generics, where_clause) = container.generics.split_for_impl();
    Some(quote!(impl #impl_generics #krate::HasTail for #ident #ty_generics #where_clause {}))
}

/// The table travels in a `macro_rules!` because it is the only thing that one macro can leave for another. The `use`
/// gives it a path, so that the impl may stand above the struct or in another module.
fn expand_callback(container: &Container) -> TokenStream {
    let krate = &container.krate;
    let mut callback = callback(container.ident);
    // rustc does not report a name that only the derive has written as unused. (An `allow` would be an error in a crate
    // that forbids the lint.)
    callback.set_span(Span::call_site());
    let table = Table {
        name: container.ident.clone(),
        krate: krate.clone(),
        rows: container.layers.iter().map(row).collect(),
        tails: container.tails.iter().map(tail).collect(),
        passes: container.dropouts.clone(),
    };
    quote! {
        #[doc(hidden)]
        macro_rules! #callback {
            ($($item:tt)*) => {
                #krate::__private::forward! { #table $($item)* }
            };
        }
        #[doc(hidden)]
        pub(crate) use #callback;
    }
}

fn row(layer: &Layer) -> Row {
    let strategy = layer.annotation.strategy;
    let in_place = strategy == Strategy::Inplace;
    Row {
        list: strategy.casts_parameters() && Shape::of(&layer.original.ty) == Shape::List,
        keeps_output: in_place && burn::keeps_output(&layer.original.ty),
        member: layer.member.clone(),
        strategy,
        early_stop: layer.annotation.options.early_stop,
        constant: layer.constant.clone(),
    }
}

fn tail(tail: &Tail) -> table::Tail {
    table::Tail {
        member: tail.member.clone(),
        constant: tail.constant.clone(),
    }
}
