//! `#[checkpoint]` and its options.

use proc_macro2::TokenStream;
use syn::{Attribute, Expr, Meta, Path, spanned::Spanned};

use super::{CHECKPOINT, entries, flag, number::Number, strategy::Options, unknown};
use crate::{error::Errors, strategy::Strategy, syntax::show};

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

static EVERY_NUMBER: Number = Number {
    usage: "#[checkpoint(every = 4)]",
    kind: "a positive number",
    fault: |layers| not_layers(layers, "a group has at least one layer"),
};

static SEGMENTS_NUMBER: Number = Number {
    usage: "#[checkpoint(segments = 4)]",
    kind: "a positive number",
    fault: |segments| not_layers(segments, "there is at least one segment"),
};

fn not_layers(number: Option<u128>, zero: &'static str) -> Option<&'static str> {
    match number {
        Some(0) => Some(zero),
        Some(_) => None,
        None => Some("a number of layers was expected"),
    }
}

pub fn read(original: &Attribute, errors: &mut Errors) -> (Strategy, Options) {
    let mut keys = Keys::default();
    // #[checkpoint] alone has none.
    if !matches!(original.meta, Meta::Path(_)) {
        entries(original, SYNTAX, errors, |key, value, errors| {
            keys.set(key, &value, errors);
        });
    }
    let options = keys.finish(errors);
    let strategy = match options.grouping {
        Some(_) => Strategy::CheckpointSequence,
        None => Strategy::Checkpoint,
    };
    (strategy, options)
}

/// The options so far.
#[derive(Default)]
struct Keys {
    deterministic: Option<Path>,
    early_stop: Option<Path>,
    keep_last: Option<Path>,
    /// The key of the grouping, and what it says unless that was wrong.
    grouping: Option<(Path, Option<Segments>)>,
}

impl Keys {
    fn set(&mut self, key: Path, value: &TokenStream, errors: &mut Errors) {
        let name = show(&key);
        let flag = match name.as_str() {
            // #[checkpoint(deterministic)]
            DETERMINISTIC => &mut self.deterministic,
            // #[checkpoint(early_stop)]
            EARLY_STOP => &mut self.early_stop,
            // #[checkpoint(every = 4, keep_last)]
            KEEP_LAST => &mut self.keep_last,
            EVERY | SEGMENTS | SQRT | RECURSIVE => return self.group(key, &name, value, errors),
            _ => return errors.at(&key, &unknown(&key, "option", CHECKPOINT, OPTIONS)),
        };
        flag::set(flag, key, value, &usage(&name), errors);
    }

    fn group(&mut self, key: Path, name: &str, value: &TokenStream, errors: &mut Errors) {
        if let Some((first, _)) = &self.grouping {
            flag::exclusive(first, &key, "two ways to group the layers", errors);
            return;
        }
        let segments = match name {
            // #[checkpoint(every = 4)]
            EVERY => EVERY_NUMBER.read(&key, value, errors).map(Segments::Every),
            // #[checkpoint(segments = 4)]
            SEGMENTS => SEGMENTS_NUMBER
                .read(&key, value, errors)
                .map(Segments::Count),
            // #[checkpoint(sqrt)]
            SQRT => flag::no_value(&key, value, &usage(name), errors).then_some(Segments::Sqrt),
            // #[checkpoint(recursive)]
            _ => flag::no_value(&key, value, &usage(name), errors).then_some(Segments::Recursive),
        };
        self.grouping = Some((key, segments));
    }

    fn finish(self, errors: &mut Errors) -> Options {
        self.check_keep_last(errors);
        let keep_last = self.keep_last.is_some();
        let grouping = self.grouping.and_then(|(key, segments)| {
            Some(Grouping {
                key,
                segments: segments?,
                keep_last,
            })
        });
        Options {
            deterministic: self.deterministic.is_some(),
            early_stop: self.early_stop.map(|key| key.span()),
            grouping,
            ..Options::default()
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

fn usage(name: &str) -> String {
    format!("#[{CHECKPOINT}({name})]")
}
