//! `#[autocast(bf16)]` and `#[autocast(bf16, output = f32)]`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, Path, spanned::Spanned};

use super::{AUTOCAST, Options, assigned, entries, flag, unknown};
use crate::{error::Errors, strategy::Strategy, syntax::show};

const OUTPUT: &str = "output";

const KEYS: &[&str] = &["bf16", "f16", "f32", OUTPUT];

const SYNTAX: &str =
    "expected a precision: `#[autocast(bf16)]`, `#[autocast(f16)]` or `#[autocast(f32)]`";

/// In what a layer computes.
#[derive(Clone)]
pub struct Casting {
    /// The place of the attribute's name.
    pub span: Span,
    pub precision: Precision,
    /// `output = f32`: what its outputs are in, if not what its inputs are in.
    pub output: Option<Precision>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    Bf16,
    F16,
    F32,
}

impl Precision {
    fn named(name: &str) -> Option<Self> {
        match name {
            "bf16" => Some(Self::Bf16),
            "f16" => Some(Self::F16),
            "f32" => Some(Self::F32),
            _ => None,
        }
    }

    /// The variant of the runtime's type.
    pub fn variant(self) -> &'static str {
        match self {
            Self::Bf16 => "BF16",
            Self::F16 => "F16",
            Self::F32 => "F32",
        }
    }

    pub fn is_low(self) -> bool {
        self != Self::F32
    }
}

pub fn read(original: &Attribute, errors: &mut Errors) -> (Strategy, Options) {
    let (casting, _) = parse(original, errors);
    let options = Options {
        casting: Some(casting),
        ..Options::default()
    };
    (Strategy::Autocast, options)
}

/// `#[autocast(bf16)]` on a struct. `None` if it was wrong, about which no more is to be said.
pub fn of_struct(original: &Attribute, errors: &mut Errors) -> Option<Casting> {
    let (casting, right) = parse(original, errors);
    if casting.output.is_some() {
        errors.at(
            &original.meta,
            &"`output` belongs on a field: what one layer hands on, the next one has to take\
              \n\nhelp: remove it here, and write `#[autocast(.., output = ..)]` on the field",
        );
        return None;
    }
    right.then_some(casting)
}

/// And whether it was right.
fn parse(original: &Attribute, errors: &mut Errors) -> (Casting, bool) {
    let mut keys = Keys::default();
    let read = entries(original, SYNTAX, errors, |key, value, errors| {
        keys.set(key, &value, errors);
    });
    if read && keys.precision.is_none() && !keys.wrong {
        errors.at(
            &original.meta,
            &"say in what the layer computes: `#[autocast(bf16)]`",
        );
    }
    let right = read && keys.precision.is_some() && !keys.wrong;
    let casting = Casting {
        span: original.path().span(),
        // In place of a wrong one, one that goes with any layer.
        precision: keys.precision.map_or(Precision::F32, |(_, found)| found),
        output: keys.output.and_then(|(_, precision)| precision),
    };
    (casting, right)
}

/// The options so far.
#[derive(Default)]
struct Keys {
    precision: Option<(Path, Precision)>,
    output: Option<(Path, Option<Precision>)>,
    wrong: bool,
}

impl Keys {
    fn set(&mut self, key: Path, value: &TokenStream, errors: &mut Errors) {
        let name = show(&key);
        // #[autocast(bf16)]
        if let Some(precision) = Precision::named(&name) {
            self.set_precision(key, precision, value, errors);
        } else if name != OUTPUT {
            self.wrong = true;
            errors.at(&key, &unknown(&key, "option", AUTOCAST, KEYS));
        } else if let Some((first, _)) = &self.output {
            flag::twice(first, &key, errors);
        } else {
            // #[autocast(bf16, output = f32)]
            let precision = output(&key, value, errors);
            self.wrong |= precision.is_none();
            self.output = Some((key, precision));
        }
    }

    fn set_precision(
        &mut self,
        key: Path,
        precision: Precision,
        value: &TokenStream,
        errors: &mut Errors,
    ) {
        self.wrong |= !flag::no_value(&key, value, "#[autocast(bf16)]", errors);
        match &self.precision {
            Some((first, _)) => {
                flag::exclusive(first, &key, "what the layer computes in", errors);
            }
            None => self.precision = Some((key, precision)),
        }
    }
}

/// The word behind `output =`.
fn output(key: &Path, value: &TokenStream, errors: &mut Errors) -> Option<Precision> {
    let word = assigned(value, Path::parse_mod_style).ok();
    let precision = word.and_then(|word| Precision::named(&show(&word)));
    if precision.is_none() {
        errors.at(
            &quote!(#key #value),
            &"`output` takes a precision: `bf16`, `f16` or `f32`\
              \n\nhelp: write `#[autocast(bf16, output = f32)]`",
        );
    }
    precision
}
