//! `#[remat(tail)]`: a copy of the method in which the tail is not computed.
//!
//! In the second run of a segment nobody reads the values of its outputs. If a layer's output only gets there by ways
//! whose gradients do not need it either, computing it is for nothing. [`flow`] follows it and refuses every other way.

mod flow;
mod ways;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Ident, ImplItem, ImplItemFn, ItemImpl, Visibility, parse_quote};

use crate::{error::Errors, table::Table};
use flow::Flow;

/// What a method without its tail is called.
pub fn name_without_tail(method: &Ident) -> Ident {
    format_ident!("{method}_without_tail", span = method.span())
}

/// The methods of an impl that call a tail, each as a copy without it, in an impl of their own (a trait's impl has no
/// room for them).
// Input:
//     pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
//         let h = self.up.forward(x.clone());
//         x + self.down.forward(h)
//     }
//
// Output:
//     impl Block {
//         #[doc(hidden)]
//         pub fn forward_without_tail(&self, x: Tensor<2>) -> Tensor<2> {
//             _ = Self::DOWN_TAIL_APPLIED_BY_REMAT_FORWARD;
//             let h = self.up.forward(x.clone());
//             x + ::remat::tail(&self.down, h)
//         }
//     }
pub fn copies(table: &Table, item: &ItemImpl, errors: &mut Errors) -> Option<ItemImpl> {
    let methods: Vec<ImplItem> = item
        .items
        .iter()
        .filter_map(|member| match member {
            ImplItem::Fn(function) => copy(table, function, item.trait_.is_some(), errors),
            _ => None,
        })
        .map(ImplItem::Fn)
        .collect();
    if methods.is_empty() {
        return None;
    }
    Some(ItemImpl {
        attrs: cfgs(&item.attrs),
        trait_: None,
        items: methods,
        ..item.clone()
    })
}

fn copy(
    table: &Table,
    function: &ImplItemFn,
    of_trait: bool,
    errors: &mut Errors,
) -> Option<ImplItemFn> {
    let mut copy = function.clone();
    let mut flow = Flow::new(table, errors);
    flow.method(&mut copy);
    let called = flow.called;
    if called.is_empty() {
        return None;
    }
    let constants: TokenStream = called
        .into_iter()
        .map(|tail| {
            let constant = &table.tails[tail].constant;
            quote!(_ = Self::#constant;)
        })
        .collect();
    let body = &copy.block.stmts;
    copy.block = parse_quote!({ #constants #(#body)* });
    copy.sig.ident = name_without_tail(&function.sig.ident);
    copy.attrs = kept(&function.attrs);
    if of_trait {
        copy.vis = Visibility::Public(<syn::Token![pub]>::default());
    }
    Some(copy)
}

fn cfgs(attrs: &[Attribute]) -> Vec<Attribute> {
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    cfgs.cloned().collect()
}

/// The attributes of the method, but for its documentation.
fn kept(attrs: &[Attribute]) -> Vec<Attribute> {
    let mut kept: Vec<Attribute> = vec![parse_quote!(#[doc(hidden)])];
    let others = attrs.iter().filter(|attr| !attr.path().is_ident("doc"));
    kept.extend(others.cloned());
    kept
}

/// `self.down`, for messages.
fn shown(table: &Table, tail: usize) -> String {
    format!("self.{}", table.tails[tail].member.to_token_stream())
}
