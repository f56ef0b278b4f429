//! `#[checkpoint]` and its options.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, Lit, Meta, Path, parse::Parse};

use super::{CHECKPOINT, assigned, entries, named, unknown};
use crate::{
    error::Errors,
    syntax::{peel, show},
};

const DETERMINISTIC: &str = "deterministic";
const EARLY_STOP: &str = "early_stop";
const EVERY: &str = "every";
const SEGMENTS: &str = "segments";
const SQRT: &str = "sqrt";
const RECURSIVE: &str = "recursive";
const KEEP_LAST: &str = "keep_last";

const OPTIONS: &[&str] = &[
    DETERMINISTIC,
    EARLY_STOP,
    EVERY,
    SEGMENTS,
    SQRT,
    RECURSIVE,
    KEEP_LAST,
];

const SYNTAX: &str = "expected `#[checkpoint]`, or `#[checkpoint(..)]` with options: `deterministic`, or one of \
    `every = 4`, `segments = 4`, `sqrt` and `recursive` for a list of layers";

/// A `#[checkpoint]` attribute.
pub struct Checkpoint<'a> {
    pub original: &'a Attribute,
    /// `deterministic`: the layer draws nothing at random.
    pub deterministic: bool,
    /// `early_stop`: the second run ends where nothing more is needed.
    pub early_stop: bool,
    /// How the layers of a list are put together.
    pub grouping: Option<Grouping>,
}

/// `every = 4` and the like: consecutive layers run again as one segment.
pub struct Grouping {
    /// The option, for errors about it.
    pub key: Path,
    pub segments: Segments,
    /// `keep_last`: the last segment does not run again.
    pub keep_last: bool,
}

pub enum Segments {
    Every(Expr),
    Count(Expr),
    Sqrt,
    Recursive,
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
            let mut options = Options::default();
            // #[checkpoint] alone has none.
            if !matches!(original.meta, Meta::Path(_)) {
                entries(original, SYNTAX, errors, |key, value, errors| {
                    options.set(key, &value, errors);
                });
            }
            found = Some(options.finish(original, errors));
        }
    }
    found
}

/// The options so far.
#[derive(Default)]
struct Options {
    deterministic: Option<Path>,
    early_stop: Option<Path>,
    keep_last: Option<Path>,
    /// The key of the grouping, and what it says unless that was wrong.
    grouping: Option<(Path, Option<Segments>)>,
}

impl Options {
    fn set(&mut self, key: Path, value: &TokenStream, errors: &mut Errors) {
        let name = show(&key);
        match name.as_str() {
            // #[checkpoint(deterministic)]
            DETERMINISTIC => set_flag(&mut self.deterministic, key, value, errors),
            // #[checkpoint(early_stop)]
            EARLY_STOP => set_flag(&mut self.early_stop, key, value, errors),
            // #[checkpoint(every = 4, keep_last)]
            KEEP_LAST => set_flag(&mut self.keep_last, key, value, errors),
            EVERY | SEGMENTS | SQRT | RECURSIVE => self.group(key, &name, value, errors),
            _ => errors.at(&key, &unknown(&key, "option", CHECKPOINT, OPTIONS)),
        }
    }

    fn group(&mut self, key: Path, name: &str, value: &TokenStream, errors: &mut Errors) {
        if let Some((first, _)) = &self.grouping {
            let first_name = show(first);
            let message = if first_name == name {
                format!("duplicate option `{name}`")
            } else {
                format!("`{first_name}` and `{name}` are two ways to group the layers: choose one")
            };
            errors.twice(first, &key, &message);
            return;
        }
        let segments = match name {
            // #[checkpoint(every = 4)]
            EVERY => number(&key, value, errors).map(Segments::Every),
            // #[checkpoint(segments = 4)]
            SEGMENTS => number(&key, value, errors).map(Segments::Count),
            // #[checkpoint(sqrt)]
            SQRT => no_value(&key, value, errors).then_some(Segments::Sqrt),
            // #[checkpoint(recursive)]
            _ => no_value(&key, value, errors).then_some(Segments::Recursive),
        };
        self.grouping = Some((key, segments));
    }

    fn finish<'a>(self, original: &'a Attribute, errors: &mut Errors) -> Checkpoint<'a> {
        self.check_keep_last(errors);
        let keep_last = self.keep_last.is_some();
        let grouping = self.grouping.and_then(|(key, segments)| {
            Some(Grouping {
                key,
                segments: segments?,
                keep_last,
            })
        });
        Checkpoint {
            original,
            deterministic: self.deterministic.is_some(),
            early_stop: self.early_stop.is_some(),
            grouping,
        }
    }

    fn check_keep_last(&self, errors: &mut Errors) {
        let Some(key) = &self.keep_last else { return };
        match &self.grouping {
            None => errors.at(
                key,
                &"`keep_last` is about the last group of layers, and they are not grouped here\
                  \n\nhelp: say how: `#[checkpoint(every = 4, keep_last)]`",
            ),
            Some((_, Some(Segments::Recursive))) => errors.at(
                key,
                &"`recursive` cuts the layers down to the last one, so there is no group to keep\
                  \n\nhelp: remove `keep_last`",
            ),
            Some(_) => {}
        }
    }
}

fn set_flag(flag: &mut Option<Path>, key: Path, value: &TokenStream, errors: &mut Errors) {
    if !no_value(&key, value, errors) {
        return;
    }
    match flag {
        Some(first) => {
            let message = format!("duplicate option `{}`", show(&key));
            errors.twice(first, &key, &message);
        }
        None => *flag = Some(key),
    }
}

fn no_value(key: &Path, value: &TokenStream, errors: &mut Errors) -> bool {
    if value.is_empty() {
        return true;
    }
    let name = show(key);
    errors.at(
        &quote!(#key #value),
        &format_args!("`{name}` takes no value\n\nhelp: write `#[checkpoint({name})]`"),
    );
    false
}

/// The expression behind `every =`. Whether it is a number that makes sense, its constant says, unless it is plain.
fn number(key: &Path, value: &TokenStream, errors: &mut Errors) -> Option<Expr> {
    let name = show(key);
    let Ok(number) = assigned(value, Expr::parse) else {
        errors.at(
            &quote!(#key #value),
            &format_args!("`{name}` takes a number\n\nhelp: write `#[checkpoint({name} = 4)]`"),
        );
        return None;
    };
    let Expr::Lit(literal) = peel(&number) else {
        return Some(number);
    };
    let fault = match &literal.lit {
        Lit::Int(int) if int.base10_digits() != "0" => return Some(number),
        Lit::Int(_) if name == EVERY => "a group has at least one layer",
        Lit::Int(_) => "there is at least one segment",
        _ => "a number of layers was expected",
    };
    errors.at(
        &number,
        &format_args!(
            "{fault}\n\nhelp: write a positive number, as in `#[checkpoint({name} = 4)]`"
        ),
    );
    None
}
