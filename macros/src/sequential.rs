//! `#[remat(sequential(Tensor<2> -> Tensor<2>))]`: the `forward` that runs the fields in order.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Member, spanned::Spanned};

use crate::{
    kind::Shape,
    model::{Container, Sequential, Step},
};

/// A plain impl: what the annotations mean is for `#[remat::forward]` alone to know.
// Input:
//     #[remat(sequential(Tensor<2> -> Tensor<2>))]
//     pub struct Mlp {
//         up: Linear,
//         blocks: Vec<Block>,
//         head: Option<Linear>,
//     }
//
// Output:
//     #[::remat::forward]
//     impl Mlp {
//         /// Runs the layers in the order of the fields.
//         pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
//             let x = self.up.forward(x);
//             let mut x = x;
//             for layer in &self.blocks {
//                 x = layer.forward(x);
//             }
//             match &self.head {
//                 ::core::option::Option::Some(layer) => layer.forward(x),
//                 ::core::option::Option::None => x,
//             }
//         }
//     }
pub fn expand(container: &Container) -> Option<TokenStream> {
    let sequential = container.sequential.as_ref()?;
    let body = expand_body(sequential)?;
    let Sequential { input, output, .. } = sequential;
    let Container {
        ident, vis, krate, ..
    } = container;
    let (impl_generics, ty_generics, where_clause) = container.generics.split_for_impl();
    Some(quote! {
        #[#krate::forward]
        impl #impl_generics #ident #ty_generics #where_clause {
            /// Runs the layers in the order of the fields.
            #vis fn forward(&self, x: #input) -> #output {
                #body
            }
        }
    })
}

/// `None` if there is nothing to run.
fn expand_body(sequential: &Sequential) -> Option<TokenStream> {
    let (last, before) = sequential.steps.split_last()?;
    let before = before.iter().map(expand_step);
    let last = expand_last(last, written_at(sequential.output.span()));
    Some(quote!(#(#before)* #last))
}

/// `x` after the layer.
fn expand_step(step: &Step) -> TokenStream {
    if step.shape == Shape::List {
        return expand_loop(step);
    }
    let output = expand_output(step);
    quote!(let x = #output;)
}

/// The last layer gives what the method gives.
fn expand_last(step: &Step, output: Span) -> TokenStream {
    if step.shape != Shape::List {
        return expand_output(step);
    }
    let layers = expand_loop(step);
    let x = quote_spanned!(output=> x);
    quote!(#layers #x)
}

/// What a layer, or one that may be missing, makes of `x`.
fn expand_output(step: &Step) -> TokenStream {
    let (member, span) = (&step.member, place(step));
    if step.shape != Shape::Optional {
        return quote_spanned!(span=> self.#member.forward(x));
    }
    quote_spanned! {span=>
        match &self.#member {
            ::core::option::Option::Some(layer) => layer.forward(x),
            ::core::option::Option::None => x,
        }
    }
}

fn expand_loop(step: &Step) -> TokenStream {
    let member = &step.member;
    quote_spanned! {place(step)=>
        let mut x = x;
        for layer in &self.#member {
            x = layer.forward(x);
        }
    }
}

/// The field: what rustc has to say about a layer belongs there.
fn place(step: &Step) -> Span {
    written_at(match &step.member {
        Member::Named(name) => name.span(),
        Member::Unnamed(_) => step.original.ty.span(),
    })
}

/// A place in the user's code, for tokens of the derive: `self` and `x` are one and the same in all of them.
fn written_at(span: Span) -> Span {
    span.resolved_at(Span::call_site())
}
