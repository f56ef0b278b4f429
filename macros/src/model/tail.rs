//! Fields with `#[remat(tail)]`.

use std::collections::BTreeSet;

use syn::{Field, Fields, Ident, Member};

use super::member;
use crate::{attr, constant::constant, default::Default, error::Errors};

/// A field whose output nobody reads when it runs again.
pub struct Tail<'a> {
    pub original: &'a Field,
    pub member: Member,
    /// The associated constant that its rewritten call mentions.
    pub constant: Ident,
}

impl Tail<'_> {
    /// A tail is not called as the others are.
    pub(super) fn refuse(&self, default: &Default, errors: &mut Errors) {
        errors.twice(
            default.original(),
            &self.original.ty,
            &"a tail has no precision of its own\
              \n\nhelp: remove `#[remat(tail)]`, or annotate the other fields by themselves",
        );
    }
}

pub(super) fn of<'a>(
    fields: &'a Fields,
    said: Vec<attr::Field>,
    constants: &mut BTreeSet<String>,
    errors: &mut Errors,
) -> Vec<Tail<'a>> {
    let mut tails = Vec::new();
    for (index, (original, said)) in fields.iter().zip(said).enumerate() {
        let Some(key) = said.tail else { continue };
        if let Some(skip) = said.skip {
            errors.twice(
                &key,
                &skip,
                &"a skipped field is not run, so it cannot be a tail: remove one of the two",
            );
        } else if let Some(known) = strategy_of(original) {
            errors.at(&key, &annotated_tail(known));
        } else {
            tails.push(Tail {
                original,
                member: member(index, original),
                constant: constant(index, original, &key, constants),
            });
        }
    }
    tails
}

fn strategy_of(field: &Field) -> Option<&'static attr::Known> {
    let mut attrs = field.attrs.iter();
    attrs.find_map(|attr| attr::known(attr.path()))
}

fn annotated_tail(known: &attr::Known) -> String {
    let called = if known.again {
        "a layer with a strategy runs again by itself, in full".to_string()
    } else {
        format!("a layer with `{}` is called in full", known.shown)
    };
    format!(
        "{called}, so it cannot be left out as a tail\n\nhelp: remove `#[remat(tail)]`, or the strategy from this field"
    )
}
