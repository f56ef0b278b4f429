//! `#[remat(tail)]`: a copy of the method in which the tail is not computed.
//!
//! In the second run of a segment nobody reads the values of its outputs. The copy calls the runtime's `tail` instead of
//! the layer, whose result is of a type that has no value to read: where the method needs one, the copy does not compile.
//! So there is nothing to analyse here; [`calls`] are replaced, and what the method [`returns`] is taken out of that type.

mod calls;
mod returns;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Ident, ImplItem, ImplItemFn, ItemImpl, parse_quote};

use crate::{error::Errors, syntax::is_forward, table::Table};

/// What a method without its tail is called. If there is none, rustc says so at this place.
pub fn name_without_tail(method: &Ident, place: Span) -> Ident {
    let span = method.span().located_at(place);
    format_ident!("{method}_without_tail", span = span)
}

/// The methods of an impl that call a tail, each as a copy without it.
// Input:
//     pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
//         let h = self.down.forward(self.up.forward(x.clone()));
//         x + self.dropout.forward(h)
//     }
//
// Output:
//     impl Block {
//         #[doc(hidden)]
//         pub fn forward_without_tail(&self, x: Tensor<2>) -> Tensor<2> {
//             _ = Self::DOWN_TAIL_APPLIED_BY_REMAT_FORWARD;
//             let h = ::remat::tail(&self.down, self.up.forward(x.clone()));
//             ::remat::returned(x + ::remat::pass(&self.dropout, h))
//         }
//     }
pub fn copies(table: &Table, item: &ItemImpl, errors: &mut Errors) -> Option<ItemImpl> {
    if table.tails.is_empty() {
        return None;
    }
    let mut copies = Vec::new();
    for member in &item.items {
        let ImplItem::Fn(function) = member else {
            continue;
        };
        let (copy, called) = copy(table, function, errors);
        let Some(&tail) = called.first() else {
            continue;
        };
        let misplaced = if item.trait_.is_some() {
            Some(
                "this impl is of a trait, which has no room for the copy of the method without its tail",
            )
        } else if is_forward(&function.sig.ident) {
            None
        } else {
            Some("this method is not a `forward`, which is what runs again")
        };
        match misplaced {
            None => copies.push(ImplItem::Fn(copy)),
            Some(reason) => errors.at(&function.sig.ident, &misplaced_tail(table, tail, reason)),
        }
    }
    if copies.is_empty() {
        return None;
    }
    Some(ItemImpl {
        attrs: kept(&item.attrs),
        items: copies,
        ..item.clone()
    })
}

fn misplaced_tail(table: &Table, tail: usize, reason: &str) -> String {
    let field = table.tails[tail].member.to_token_stream();
    format!(
        "`self.{field}` has `#[remat(tail)]`, and {reason}\n\nhelp: call it in a method `forward` in an impl of the \
         struct itself, which a trait's method may call, or remove `#[remat(tail)]`"
    )
}

/// The copy, and the tails that it calls.
fn copy(table: &Table, function: &ImplItemFn, errors: &mut Errors) -> (ImplItemFn, Vec<usize>) {
    let mut copy = function.clone();
    let called = calls::replace(table, &mut copy.block, errors);
    returns::wrap(&table.krate, &mut copy.block);
    let constants: TokenStream = called
        .iter()
        .map(|&tail| {
            let constant = &table.tails[tail].constant;
            quote!(_ = Self::#constant;)
        })
        .collect();
    let body = &copy.block.stmts;
    copy.block = parse_quote!({ #constants #(#body)* });
    let name = &function.sig.ident;
    copy.sig.ident = name_without_tail(name, name.span());
    copy.attrs = vec![parse_quote!(#[doc(hidden)])];
    copy.attrs.extend(kept(&function.attrs));
    (copy, called)
}

/// The attributes that a copy has as well: conditions and lints.
fn kept(attrs: &[Attribute]) -> Vec<Attribute> {
    const KEPT: [&str; 7] = [
        "cfg", "cfg_attr", "allow", "expect", "warn", "deny", "forbid",
    ];
    let kept = |attr: &&Attribute| KEPT.iter().any(|name| attr.path().is_ident(name));
    attrs.iter().filter(kept).cloned().collect()
}
