//! The helper attributes, from tokens to values. Whatever is wrong is reported, and parsing goes on.

mod autocast;
mod checkpoint;
mod flag;
mod frozen_stats;
mod inplace;
mod number;
mod quantize;
mod recompute;
mod remat;
mod stack;
mod strategy;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, MacroDelimiter, Meta, Path, Token,
    parse::{ParseStream, Parser},
};

use crate::{error::Errors, syntax::show};

pub use autocast::{Casting, Precision, of_struct};
pub use checkpoint::{Grouping, Segments};
pub use quantize::{Quantization, Rounding};
pub use remat::{Container, Field, Sequential, container, crate_path, field, skip};
pub use strategy::{Annotation, Known, Options, annotation, is_strategy, known, stacked};

pub const CHECKPOINT: &str = "checkpoint";
pub const RECOMPUTE: &str = "recompute";
pub const FROZEN_STATS: &str = "frozen_stats";
pub const AUTOCAST: &str = "autocast";
pub const INPLACE: &str = "inplace";
pub const QUANTIZE: &str = "quantize";
pub const REMAT: &str = "remat";

pub fn named<'a>(attrs: &'a [Attribute], name: &str) -> impl Iterator<Item = &'a Attribute> {
    attrs.iter().filter(move |attr| attr.path().is_ident(name))
}

/// Calls `f` with every `key` of `#[name(key ..)]` and the tokens that follow it up to the next comma. False if that is
/// not what the attribute is like.
fn entries(
    attr: &Attribute,
    syntax: &str,
    errors: &mut Errors,
    mut f: impl FnMut(Path, TokenStream, &mut Errors),
) -> bool {
    match &attr.meta {
        Meta::List(list)
            if matches!(list.delimiter, MacroDelimiter::Paren(_)) && !list.tokens.is_empty() =>
        {
            let parsed = attr.parse_nested_meta(|meta| {
                let value = until_comma(meta.input)?;
                f(meta.path, value, errors);
                Ok(())
            });
            if let Err(error) = &parsed {
                errors.push(syn::Error::new(error.span(), syntax));
            }
            parsed.is_ok()
        }
        meta => {
            errors.at(meta, &syntax);
            false
        }
    }
}

fn until_comma(input: ParseStream) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?.to_tokens(&mut tokens);
    }
    Ok(tokens)
}

/// The `value` of `key = value`.
fn assigned<T>(tokens: &TokenStream, value: fn(ParseStream) -> syn::Result<T>) -> syn::Result<T> {
    let parse = |input: ParseStream| {
        input.parse::<Token![=]>()?;
        value(input)
    };
    parse.parse2(tokens.clone())
}

/// What to say about a key that is none of the `legal` ones.
fn unknown(key: &Path, kind: &str, attribute: &str, legal: &[&str]) -> String {
    let key = show(key);
    let listed: Vec<String> = legal.iter().map(|legal| format!("`{legal}`")).collect();
    let legal_keys = match listed.as_slice() {
        [only] => format!("the legal {kind} is {only}"),
        all => format!("the legal {kind}s are {}", all.join(", ")),
    };
    let help = nearest(&key, legal)
        .map(|near| format!("\n\nhelp: did you mean `{near}`?"))
        .unwrap_or_default();
    format!("unknown {kind} `{key}` of `#[{attribute}(..)]`: {legal_keys}{help}")
}

fn nearest<'a>(key: &str, legal: &[&'a str]) -> Option<&'a str> {
    let similar = |legal: &&str| strsim::jaro_winkler(key, legal);
    let nearest = legal
        .iter()
        .max_by(|a, b| similar(a).total_cmp(&similar(b)))?;
    (similar(nearest) > 0.8).then_some(nearest)
}
