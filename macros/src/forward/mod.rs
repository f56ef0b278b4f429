//! `#[remat::forward]`: rewrites the calls of annotated fields in an impl.
//!
//! The attribute ([`header`]) only hands the impl to the struct's callback, which knows the table and calls
//! [`rewrite`]. There a [`walk`] goes through every [`method`] once, in the order of evaluation, and knows for every
//! expression whether its [`value`] is an annotated layer. Patterns put values into [`scope`]s, [`adapter`]s such as
//! `.iter()` change them, [`escape`] reports those that leave what can be followed, [`macros`] looks into the tokens
//! of macro calls. A call of a layer becomes a [`call`] of the runtime, with the inputs that [`hoist`] finds:
//! what is not [`inside`] of its closure; that of an [`attention`] has none. A loop over layers that run in groups becomes one as a whole: a [`sequence`].
//! A method that calls a layer several times may get a statement in front ([`repeat`]), and one with a [`tail`] is written once
//! more, without it. At last, what `macro_rules!` has put into a [`group`] stays one.

mod adapter;
mod assign;
mod attention;
mod build;
mod call;
mod control;
mod escape;
mod group;
mod header;
mod hoist;
mod inplace;
mod inside;
mod macros;
mod mentions;
mod method;
mod pattern;
mod receiver;
mod repeat;
mod scope;
mod sequence;
mod tail;
mod value;
mod walk;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    ImplItem, ItemImpl,
    parse::{ParseStream, Parser},
};

use crate::{error::Errors, flow::Owner, table::Table};

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
    if table.rows.is_empty() && table.tails.is_empty() {
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
    let mut copies = tail::copies(table, &item, errors);
    let mut calls = rewrite_members(table, &mut item, errors);
    // What is wrong in a method is so in its copy.
    if errors.is_empty()
        && let Some(copies) = &mut copies
    {
        calls += rewrite_members(table, copies, errors);
    }
    if calls == 0 && copies.is_none() {
        return None;
    }
    group::keep_operands(&mut item);
    Some(quote!(#item #copies))
}

fn rewrite_members(table: &Table, item: &mut ItemImpl, errors: &mut Errors) -> usize {
    let owner = Owner::of(item);
    let rewrite = |member: &mut ImplItem| match member {
        ImplItem::Fn(function) => method::rewrite(table, &owner, function, errors),
        ImplItem::Macro(member) => method::scan(table, &member.mac, errors),
        _ => 0,
    };
    item.items.iter_mut().map(rewrite).sum()
}
