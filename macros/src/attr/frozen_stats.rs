//! `#[frozen_stats]` and `#[frozen_stats(update)]`.

use syn::{Attribute, Meta};

use super::{FROZEN_STATS, Options, entries, flag, unknown};
use crate::{error::Errors, strategy::Strategy, syntax::show};

const UPDATE: &str = "update";

const SYNTAX: &str = "expected `#[frozen_stats]` or `#[frozen_stats(update)]`";

pub fn read(original: &Attribute, errors: &mut Errors) -> (Strategy, Options) {
    let mut update = None;
    // #[frozen_stats] alone has no options.
    if !matches!(original.meta, Meta::Path(_)) {
        entries(original, SYNTAX, errors, |key, value, errors| {
            if show(&key) == UPDATE {
                // #[frozen_stats(update)]
                flag::set(&mut update, key, &value, "#[frozen_stats(update)]", errors);
            } else {
                errors.at(&key, &unknown(&key, "option", FROZEN_STATS, &[UPDATE]));
            }
        });
    }
    let options = Options {
        updating: update.is_some(),
        ..Options::default()
    };
    (Strategy::FrozenStats, options)
}
