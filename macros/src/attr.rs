//! The helper attributes, from tokens to values. Whatever is wrong is reported, and parsing goes on.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, MacroDelimiter, Meta, Path, Token,
    parse::{ParseStream, Parser},
};

use crate::{error::Errors, syntax::show};

pub const CHECKPOINT: &str = "checkpoint";
pub const REMAT: &str = "remat";

const DETERMINISTIC: &str = "deterministic";
const CRATE: &str = "crate";
const SKIP: &str = "skip";

const CHECKPOINT_SYNTAX: &str = "expected `#[checkpoint]` or `#[checkpoint(deterministic)]`";
const CRATE_SYNTAX: &str =
    "expected `#[remat(crate = path)]`, such as `#[remat(crate = crate::reexports::remat)]`";
const SKIP_SYNTAX: &str = "expected `#[remat(skip)]`";

/// A `#[checkpoint]` attribute.
pub struct Checkpoint<'a> {
    pub original: &'a Attribute,
    /// `#[checkpoint(deterministic)]`: the layer draws nothing at random.
    pub deterministic: bool,
}

/// The one `#[checkpoint]` among `attrs`.
pub fn checkpoint<'a>(attrs: &'a [Attribute], errors: &mut Errors) -> Option<Checkpoint<'a>> {
    let mut found: Option<Checkpoint> = None;
    for original in named(attrs, CHECKPOINT) {
        if let Some(first) = &found {
            errors.twice(
                first.original,
                original,
                &"duplicate `#[checkpoint]`: a field has at most one",
            );
        } else {
            let deterministic = checkpoint_options(original, errors);
            found = Some(Checkpoint {
                original,
                deterministic,
            });
        }
    }
    found
}

fn checkpoint_options(attr: &Attribute, errors: &mut Errors) -> bool {
    let mut deterministic: Option<Path> = None;
    // #[checkpoint]
    if let Meta::Path(_) = attr.meta {
        return false;
    }
    entries(attr, CHECKPOINT_SYNTAX, errors, |key, value, errors| {
        if !key.is_ident(DETERMINISTIC) {
            errors.at(&key, &unknown(&key, "option", CHECKPOINT, DETERMINISTIC));
        } else if !value.is_empty() {
            errors.at(&quote!(#key #value), &CHECKPOINT_SYNTAX);
        } else if let Some(first) = &deterministic {
            errors.twice(first, &key, &"duplicate option `deterministic`");
        } else {
            // #[checkpoint(deterministic)]
            deterministic = Some(key);
        }
    });
    deterministic.is_some()
}

/// The path of the runtime crate: `::remat`, or what `#[remat(crate = path)]` on the type says.
pub fn crate_path(attrs: &[Attribute], errors: &mut Errors) -> Path {
    let mut found: Option<(Path, Path)> = None;
    for attr in named(attrs, REMAT) {
        entries(attr, CRATE_SYNTAX, errors, |key, value, errors| {
            if !key.is_ident(CRATE) {
                errors.at(&key, &unknown(&key, "key", REMAT, CRATE));
            } else if let Some((first, _)) = &found {
                errors.twice(first, &key, &"duplicate key `crate`");
            } else if let Some(path) = crate_value(&key, &value, errors) {
                // #[remat(crate = path)]
                found = Some((key, path));
            }
        });
    }
    found.map_or_else(default_crate, |(_, path)| unlinted(path))
}

/// The same path as something that a macro has written. For rustc's lints, it could be shorter in a type of the user's.
fn unlinted(mut path: Path) -> Path {
    for segment in path.segments.iter_mut().skip(1) {
        let span = segment.ident.span();
        segment.ident.set_span(span.resolved_at(Span::call_site()));
    }
    path
}

fn default_crate() -> Path {
    Path {
        leading_colon: Some(<Token![::]>::default()),
        ..syn::Ident::new(REMAT, Span::call_site()).into()
    }
}

/// The path behind `crate =`.
///
/// A relative path would mean something else in every module that calls a rewritten method.
fn crate_value(key: &Path, value: &TokenStream, errors: &mut Errors) -> Option<Path> {
    let parse = |input: ParseStream| {
        input.parse::<Token![=]>()?;
        input.call(Path::parse_mod_style)
    };
    let Ok(path) = parse.parse2(value.clone()) else {
        errors.at(&quote!(#key #value), &CRATE_SYNTAX);
        return None;
    };
    let first = path
        .segments
        .first()
        .map(|segment| segment.ident.to_string());
    let absolute =
        path.leading_colon.is_some() || matches!(first.as_deref(), Some("crate" | "$crate"));
    if !absolute {
        let shown = show(&path);
        errors.at(
            &path,
            &format_args!(
                "`{shown}` means another crate in another module\n\nhelp: write `::{shown}` or `crate::{shown}`"
            ),
        );
        return None;
    }
    Some(path)
}

/// Whether the field of a `TensorTree` has `#[remat(skip)]`.
pub fn skip(attrs: &[Attribute], errors: &mut Errors) -> bool {
    let mut found: Option<Path> = None;
    for attr in named(attrs, REMAT) {
        entries(attr, SKIP_SYNTAX, errors, |key, value, errors| {
            if !key.is_ident(SKIP) {
                errors.at(&key, &unknown(&key, "key", REMAT, SKIP));
            } else if !value.is_empty() {
                errors.at(&quote!(#key #value), &SKIP_SYNTAX);
            } else if let Some(first) = &found {
                errors.twice(first, &key, &"duplicate key `skip`");
            } else {
                // #[remat(skip)]
                found = Some(key);
            }
        });
    }
    found.is_some()
}

pub fn named<'a>(attrs: &'a [Attribute], name: &str) -> impl Iterator<Item = &'a Attribute> {
    attrs.iter().filter(move |attr| attr.path().is_ident(name))
}

/// Calls `f` with every `key` of `#[name(key ..)]` and the tokens that follow it up to the next comma.
fn entries(
    attr: &Attribute,
    syntax: &str,
    errors: &mut Errors,
    mut f: impl FnMut(Path, TokenStream, &mut Errors),
) {
    match &attr.meta {
        Meta::List(list)
            if matches!(list.delimiter, MacroDelimiter::Paren(_)) && !list.tokens.is_empty() =>
        {
            let parsed = attr.parse_nested_meta(|meta| {
                let value = until_comma(meta.input)?;
                f(meta.path, value, errors);
                Ok(())
            });
            if let Err(error) = parsed {
                errors.push(syn::Error::new(error.span(), syntax));
            }
        }
        meta => errors.at(meta, &syntax),
    }
}

fn until_comma(input: ParseStream) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?.to_tokens(&mut tokens);
    }
    Ok(tokens)
}

/// What to say about a key that is not `legal`, the only one there is.
fn unknown(key: &Path, kind: &str, attribute: &str, legal: &str) -> String {
    let key = show(key);
    let near = strsim::jaro_winkler(&key, legal) > 0.8;
    let help = if near {
        format!("\n\nhelp: did you mean `{legal}`?")
    } else {
        String::new()
    };
    format!("unknown {kind} `{key}` of `#[{attribute}(..)]`: the legal {kind} is `{legal}`{help}")
}
