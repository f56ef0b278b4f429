//! Fields that a sequential module runs.

use syn::{Field, Fields, Member, Path, Type};

use super::member;
use crate::{attr, error::Errors, kind::Shape};

/// The `forward` that the derive writes.
pub struct Sequential<'a> {
    /// The word `sequential`, for errors.
    pub key: Path,
    pub input: Type,
    pub output: Type,
    /// The fields that it runs, in order.
    pub steps: Vec<Step<'a>>,
}

/// A field that a sequential module runs.
pub struct Step<'a> {
    pub original: &'a Field,
    pub member: Member,
    pub shape: Shape,
}

impl<'a> Sequential<'a> {
    /// `None` if there are no types to write the method with.
    pub(super) fn new(attr: attr::Sequential, steps: Vec<Step<'a>>) -> Option<Self> {
        let (input, output) = attr.types?;
        Some(Self {
            key: attr.key,
            input,
            output,
            steps,
        })
    }
}

/// The fields of a sequential module that are not skipped.
pub(super) fn of<'a>(
    fields: &'a Fields,
    said: &[attr::Field],
    sequential: bool,
    errors: &mut Errors,
) -> Vec<Step<'a>> {
    let mut steps = Vec::new();
    for (index, (original, said)) in fields.iter().zip(said).enumerate() {
        match &said.skip {
            Some(skip) if sequential => skipped_annotation(original, skip, errors),
            Some(skip) => errors.at(
                skip,
                &"`#[remat(skip)]` leaves a field out of the `forward` that `sequential` writes, and this struct has \
                  none\n\nhelp: remove it, or add `#[remat(sequential(Tensor<2> -> Tensor<2>))]` to the struct",
            ),
            None if sequential => steps.push(Step {
                original,
                member: member(index, original),
                shape: Shape::of(&original.ty),
            }),
            None => {}
        }
    }
    steps
}

/// A strategy for a layer that is not run.
fn skipped_annotation(field: &Field, skip: &Path, errors: &mut Errors) {
    let attrs = field.attrs.iter();
    let mut strategies = attrs.filter(|attr| attr::is_strategy(attr)).peekable();
    if strategies.peek().is_some() {
        errors.at(
            skip,
            &"a skipped field is not run, so its strategy would do nothing\
              \n\nhelp: remove one of the two attributes",
        );
    }
    for attr in strategies {
        errors.at(&attr.meta, &"the annotation");
    }
}
