//! `#[remat(..)]` on a type and on its fields.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{
    Attribute, Path, Token, Type, parenthesized,
    parse::{ParseStream, Parser},
};

use super::{REMAT, assigned, entries, known, named, unknown};
use crate::{error::Errors, syntax::show};

const CRATE: &str = "crate";
const SEQUENTIAL: &str = "sequential";
const SKIP: &str = "skip";
const TAIL: &str = "tail";

const CRATE_SYNTAX: &str =
    "expected `#[remat(crate = path)]`, such as `#[remat(crate = crate::reexports::remat)]`";
const SEQUENTIAL_SYNTAX: &str = "expected the types of what goes through the layers: \
    `#[remat(sequential(Tensor<2> -> Tensor<2>))]`";
const CONTAINER_SYNTAX: &str =
    "expected `#[remat(crate = path)]` or `#[remat(sequential(Tensor<2> -> Tensor<2>))]`";
const SKIP_SYNTAX: &str = "expected `#[remat(skip)]`";
const FIELD_SYNTAX: &str = "expected `#[remat(tail)]` or `#[remat(skip)]`";

/// What `#[remat(..)]` says about a struct of layers.
pub struct Container {
    /// The path of the runtime crate.
    pub krate: Path,
    pub sequential: Option<Sequential>,
}

/// `sequential(Tensor<2> -> Tensor<2>)`: the derive writes `forward`.
pub struct Sequential {
    /// The word `sequential`, for errors.
    pub key: Path,
    /// Those of the input and the output, unless they were malformed.
    pub types: Option<(Type, Type)>,
}

/// The attributes of a struct with `#[derive(Remat)]`.
pub fn container(attrs: &[Attribute], errors: &mut Errors) -> Container {
    let mut krate = None;
    let mut sequential = None;
    for attr in named(attrs, REMAT) {
        entries(attr, CONTAINER_SYNTAX, errors, |key, value, errors| {
            if key.is_ident(CRATE) {
                set_crate(&mut krate, key, &value, errors);
            } else if key.is_ident(SEQUENTIAL) {
                set_sequential(&mut sequential, key, &value, errors);
            } else {
                errors.at(&key, &unknown(&key, "key", REMAT, &[CRATE, SEQUENTIAL]));
            }
        });
    }
    Container {
        krate: crate_or_default(krate),
        sequential,
    }
}

/// The path of the runtime crate: `::remat`, or what `#[remat(crate = path)]` on the type says.
pub fn crate_path(attrs: &[Attribute], errors: &mut Errors) -> Path {
    let mut krate = None;
    for attr in named(attrs, REMAT) {
        entries(attr, CRATE_SYNTAX, errors, |key, value, errors| {
            if key.is_ident(CRATE) {
                set_crate(&mut krate, key, &value, errors);
            } else {
                errors.at(&key, &unknown(&key, "key", REMAT, &[CRATE]));
            }
        });
    }
    crate_or_default(krate)
}

fn set_crate(
    krate: &mut Option<(Path, Path)>,
    key: Path,
    value: &TokenStream,
    errors: &mut Errors,
) {
    if let Some((first, _)) = krate {
        errors.twice(first, &key, &"duplicate key `crate`");
    } else if let Some(path) = crate_value(&key, value, errors) {
        // #[remat(crate = path)]
        *krate = Some((key, path));
    }
}

fn set_sequential(
    sequential: &mut Option<Sequential>,
    key: Path,
    value: &TokenStream,
    errors: &mut Errors,
) {
    if let Some(first) = sequential {
        errors.twice(&first.key, &key, &"duplicate key `sequential`");
        return;
    }
    // #[remat(sequential(Tensor<2> -> Tensor<2>))]
    let types = input_and_output.parse2(value.clone()).ok();
    if types.is_none() {
        errors.at(&quote!(#key #value), &SEQUENTIAL_SYNTAX);
    }
    *sequential = Some(Sequential { key, types });
}

/// `(Tensor<2> -> Tensor<2>)`
fn input_and_output(input: ParseStream) -> syn::Result<(Type, Type)> {
    let types;
    parenthesized!(types in input);
    let from = types.parse()?;
    types.parse::<Token![->]>()?;
    let to = types.parse()?;
    if types.is_empty() {
        Ok((from, to))
    } else {
        Err(types.error(SEQUENTIAL_SYNTAX))
    }
}

fn crate_or_default(krate: Option<(Path, Path)>) -> Path {
    krate.map_or_else(default_crate, |(_, path)| unlinted(path))
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
    let Ok(path) = assigned(value, Path::parse_mod_style) else {
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

/// What `#[remat(..)]` says about a layer.
#[derive(Default)]
pub struct Field {
    /// `skip`: `sequential` leaves the field out.
    pub skip: Option<Path>,
    /// `tail`: nobody reads the layer's output when it runs again.
    pub tail: Option<Path>,
}

/// The attributes of a field in a struct with `#[derive(Remat)]`.
pub fn field(attrs: &[Attribute], errors: &mut Errors) -> Field {
    let mut field = Field::default();
    for attr in named(attrs, REMAT) {
        entries(attr, FIELD_SYNTAX, errors, |key, value, errors| {
            let name = show(&key);
            let place = match name.as_str() {
                // #[remat(skip)]
                SKIP => &mut field.skip,
                // #[remat(tail)]
                TAIL => &mut field.tail,
                CRATE | SEQUENTIAL => {
                    errors.at(
                        &key,
                        &format_args!(
                            "`{name}` belongs on the struct: move it to `#[remat(..)]` there"
                        ),
                    );
                    return;
                }
                _ => {
                    let message = known(&key).map_or_else(
                        || unknown(&key, "key", REMAT, &[TAIL, SKIP]),
                        |known| a_strategy(known.shown),
                    );
                    errors.at(&key, &message);
                    return;
                }
            };
            if !value.is_empty() {
                errors.at(&quote!(#key #value), &FIELD_SYNTAX);
            } else if let Some(first) = place {
                errors.twice(first, &key, &format_args!("duplicate key `{name}`"));
            } else {
                *place = Some(key);
            }
        });
    }
    field
}

fn a_strategy(shown: &str) -> String {
    format!("a strategy is an attribute of its own\n\nhelp: write `{shown}`")
}

/// The `skip` of a field with `#[remat(skip)]`, in a type with `#[derive(TensorTree)]`.
pub fn skip(attrs: &[Attribute], errors: &mut Errors) -> Option<Path> {
    let mut found: Option<Path> = None;
    for attr in named(attrs, REMAT) {
        entries(attr, SKIP_SYNTAX, errors, |key, value, errors| {
            if !key.is_ident(SKIP) {
                errors.at(&key, &unknown(&key, "key", REMAT, &[SKIP]));
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
    found
}
