//! `#[quantize(bits = 8)]` and its other options.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, Expr, Path, parse_quote_spanned, spanned::Spanned};

use super::{Options, QUANTIZE, assigned, entries, flag, number::Number, unknown};
use crate::{error::Errors, strategy::Strategy, syntax::show};

const BITS: &str = "bits";
const GROUP: &str = "group";
const ROUNDING: &str = "rounding";
const MIN_ELEMENTS: &str = "min_elements";

const OPTIONS: &[&str] = &[BITS, GROUP, ROUNDING, MIN_ELEMENTS];

const NEAREST: &str = "nearest";
const STOCHASTIC: &str = "stochastic";

const SYNTAX: &str = "expected options, one of them `bits`\n\nhelp: write `#[quantize(bits = 8)]`";

/// How what a layer keeps of its inputs is compressed.
pub struct Quantization {
    /// The place of the attribute's name.
    pub span: Span,
    pub bits: Expr,
    /// `group = 64`: so many elements have a range of their own.
    pub group: Option<Expr>,
    pub rounding: Option<Rounding>,
    /// `min_elements = 1024`: what has less is kept as it is.
    pub min_elements: Option<Expr>,
}

#[derive(Clone, Copy)]
pub enum Rounding {
    Nearest,
    Stochastic,
}

static BITS_NUMBER: Number = Number {
    usage: "#[quantize(bits = 8)]",
    kind: "one of them",
    fault: |bits| {
        let legal = matches!(bits, Some(1 | 2 | 4 | 8));
        (!legal).then_some("the legal numbers of bits are `1`, `2`, `4`, `8`")
    },
};

static GROUP_NUMBER: Number = Number {
    usage: "#[quantize(bits = 8, group = 64)]",
    kind: "a positive number",
    fault: |elements| match elements {
        Some(0) => Some("a group has at least one element"),
        elements => not_elements(elements),
    },
};

static MIN_ELEMENTS_NUMBER: Number = Number {
    usage: "#[quantize(bits = 8, min_elements = 1024)]",
    kind: "a number",
    fault: not_elements,
};

fn not_elements(elements: Option<u128>) -> Option<&'static str> {
    let expected = "a number of elements was expected";
    elements.is_none().then_some(expected)
}

pub fn read(original: &Attribute, errors: &mut Errors) -> (Strategy, Options) {
    let mut keys = Keys::default();
    let read = entries(original, SYNTAX, errors, |key, value, errors| {
        keys.set(key, &value, errors);
    });
    if read {
        keys.check(original, errors);
    }
    let options = Options {
        quantization: Some(keys.finish(original.path().span())),
        ..Options::default()
    };
    (Strategy::Quantize, options)
}

/// The options so far: the key of each, and what it says unless that was wrong.
#[derive(Default)]
struct Keys {
    bits: Option<(Path, Option<Expr>)>,
    group: Option<(Path, Option<Expr>)>,
    rounding: Option<(Path, Option<Rounding>)>,
    min_elements: Option<(Path, Option<Expr>)>,
    /// Whether there was an option that is none.
    unknown: bool,
}

impl Keys {
    fn set(&mut self, key: Path, value: &TokenStream, errors: &mut Errors) {
        let name = show(&key);
        let (place, number) = match name.as_str() {
            // #[quantize(bits = 8)]
            BITS => (&mut self.bits, &BITS_NUMBER),
            // #[quantize(bits = 8, group = 64)]
            GROUP => (&mut self.group, &GROUP_NUMBER),
            // #[quantize(bits = 8, min_elements = 1024)]
            MIN_ELEMENTS => (&mut self.min_elements, &MIN_ELEMENTS_NUMBER),
            // #[quantize(bits = 8, rounding = nearest)]
            ROUNDING => return once(&mut self.rounding, key, value, errors, rounding),
            _ => {
                self.unknown = true;
                return errors.at(&key, &unknown(&key, "option", QUANTIZE, OPTIONS));
            }
        };
        once(place, key, value, errors, |key, value, errors| {
            number.read(key, value, errors)
        });
    }

    /// Without `bits`, nothing is said. (An option that is none may be meant as that.)
    fn check(&self, original: &Attribute, errors: &mut Errors) {
        if self.bits.is_none() && !self.unknown {
            errors.at(
                &original.meta,
                &"say how many bits an element is kept in: `#[quantize(bits = 8)]`",
            );
        }
    }

    fn finish(self, span: Span) -> Quantization {
        // A legal number in place of a wrong one, about which no more is to be said.
        let bits = given(self.bits).unwrap_or_else(|| parse_quote_spanned!(span=> 8));
        Quantization {
            span,
            bits,
            group: given(self.group),
            rounding: given(self.rounding),
            min_elements: given(self.min_elements),
        }
    }
}

/// Reads an option, unless that has been done.
fn once<T>(
    place: &mut Option<(Path, Option<T>)>,
    key: Path,
    value: &TokenStream,
    errors: &mut Errors,
    read: impl FnOnce(&Path, &TokenStream, &mut Errors) -> Option<T>,
) {
    if let Some((first, _)) = place {
        flag::twice(first, &key, errors);
    } else {
        let value = read(&key, value, errors);
        *place = Some((key, value));
    }
}

fn given<T>(option: Option<(Path, Option<T>)>) -> Option<T> {
    option.and_then(|(_, value)| value)
}

/// The word behind `rounding =`.
fn rounding(key: &Path, value: &TokenStream, errors: &mut Errors) -> Option<Rounding> {
    let Ok(word) = assigned(value, Path::parse_mod_style) else {
        errors.at(
            &quote!(#key #value),
            &"`rounding` takes a word\n\nhelp: write `#[quantize(bits = 8, rounding = nearest)]`",
        );
        return None;
    };
    match show(&word).as_str() {
        NEAREST => Some(Rounding::Nearest),
        STOCHASTIC => Some(Rounding::Stochastic),
        _ => {
            let legal = [NEAREST, STOCHASTIC];
            errors.at(&word, &unknown(&word, "rounding", QUANTIZE, &legal));
            None
        }
    }
}
