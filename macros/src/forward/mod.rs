//! `#[remat::forward]`: rewrites the calls of annotated fields in an impl.
//!
//! The attribute ([`header`]) only hands the impl to the struct's callback, which knows the table and calls
//! [`rewrite`]. There a [`walk`] goes through every [`method`] once, in the order of evaluation, and knows for every
//! expression whether its [`value`] is an annotated layer. Patterns put values into [`scope`]s, [`adapter`]s such as
//! `.iter()` change them, [`escape`] reports those that leave what can be followed, [`macros`] looks into the tokens
//! of macro calls. A call of a layer becomes a [`call`] of the runtime, with the inputs that [`hoist`] finds:
//! what is not [`inside`] of its closure. At last, what `macro_rules!` has put into a [`group`] stays one.

mod adapter;
mod call;
mod control;
mod escape;
mod group;
mod header;
mod hoist;
mod inside;
mod macros;
mod method;
mod pattern;
mod receiver;
mod scope;
mod value;
mod walk;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    ImplItem, ItemImpl,
    parse::{ParseStream, Parser},
};

use crate::{error::Errors, table::Table};

pub use header::attribute;

/// `__forward! { <table> <impl> }`: the impl with its calls of annotated fields rewritten, or unchanged with errors.
pub fn rewrite(input: TokenStream) -> TokenStream {
    let parse = |input: ParseStream| Ok((input.parse::<Table>()?, input.parse::<TokenStream>()?));
    let (table, item) = match parse.parse2(input) {
        Ok(parts) => parts,
        Err(error) => return error.into_compile_error(),
    };
    let (rewritten, errors) = Errors::collect(|errors| {
        let rewritten = rewrite_impl(&table, item.clone(), errors);
        rewritten.filter(|_| errors.is_empty())
    });
    // The user's own tokens unless something had to change: an editor works on what it knows.
    let item = rewritten.unwrap_or(item);
    quote!(#item #errors)
}

/// The rewritten impl, if a call was rewritten.
fn rewrite_impl(table: &Table, item: TokenStream, errors: &mut Errors) -> Option<TokenStream> {
    if table.rows.is_empty() {
        return None;
    }
    let mut item = match syn::parse2::<ItemImpl>(item) {
        Ok(item) => item,
        Err(error) => {
            let message = format!("`#[remat::forward]` cannot read this impl: {error}");
            errors.push(syn::Error::new(error.span(), message));
            return None;
        }
    };
    let mut calls = 0;
    for member in &mut item.items {
        calls += match member {
            ImplItem::Fn(function) => method::rewrite(table, function, errors),
            ImplItem::Macro(member) => method::scan(table, &member.mac, errors),
            _ => 0,
        };
    }
    if calls == 0 {
        return None;
    }
    group::keep_operands(&mut item);
    Some(item.into_token_stream())
}
