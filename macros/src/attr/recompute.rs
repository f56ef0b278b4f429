//! `#[recompute(cheap)]`.

use syn::{Attribute, Path};

use super::{RECOMPUTE, entries, named, unknown};
use crate::{error::Errors, syntax::show};

const CHEAP: &str = "cheap";
const DETERMINISTIC: &str = "deterministic";

const SYNTAX: &str = "expected `#[recompute(cheap)]`";

/// A `#[recompute(cheap)]` attribute.
pub struct Recompute<'a> {
    pub original: &'a Attribute,
    /// `deterministic`: the layer draws nothing at random.
    pub deterministic: bool,
}

/// The one `#[recompute(..)]` among `attrs`.
pub fn recompute<'a>(attrs: &'a [Attribute], errors: &mut Errors) -> Option<Recompute<'a>> {
    let mut found: Option<Recompute> = None;
    for original in named(attrs, RECOMPUTE) {
        if let Some(first) = &found {
            errors.twice(
                first.original,
                original,
                &"duplicate `#[recompute(..)]`: a field has at most one",
            );
            continue;
        }
        let (mut cheap, mut deterministic): (Option<Path>, Option<Path>) = (None, None);
        let (mut read, mut wrong) = (false, false);
        entries(original, SYNTAX, errors, |key, value, errors| {
            read = true;
            let name = show(&key);
            let place = match name.as_str() {
                // #[recompute(cheap)]
                CHEAP => &mut cheap,
                // #[recompute(cheap, deterministic)]
                DETERMINISTIC => &mut deterministic,
                _ => {
                    wrong = true;
                    let legal = [CHEAP, DETERMINISTIC];
                    errors.at(&key, &unknown(&key, "option", RECOMPUTE, &legal));
                    return;
                }
            };
            if !value.is_empty() {
                wrong = true;
                errors.at(
                    &key,
                    &format_args!("`{name}` takes no value\n\nhelp: write `#[recompute(cheap)]`"),
                );
            } else if let Some(first) = place {
                errors.twice(first, &key, &format_args!("duplicate option `{name}`"));
            } else {
                *place = Some(key);
            }
        });
        if cheap.is_none() && read && !wrong {
            errors.at(
                &original.meta,
                &"say that the layer is cheap to run again: `#[recompute(cheap)]`",
            );
        }
        found = Some(Recompute {
            original,
            deterministic: deterministic.is_some(),
        });
    }
    found
}
