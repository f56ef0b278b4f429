//! `#[inplace]`.

use syn::{Attribute, Meta};

use super::Options;
use crate::{error::Errors, strategy::Strategy};

pub fn read(original: &Attribute, errors: &mut Errors) -> (Strategy, Options) {
    if !matches!(original.meta, Meta::Path(_)) {
        errors.at(
            &original.meta,
            &"`#[inplace]` has no options\n\nhelp: write `#[inplace]`",
        );
    }
    (Strategy::Inplace, Options::default())
}
