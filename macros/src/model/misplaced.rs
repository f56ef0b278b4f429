//! Strategies where there is no field to be run.

use syn::{Attribute, DataEnum, DataUnion};

use crate::{attr, error::Errors};

/// A strategy above something that is not a field of a struct.
pub(super) fn misplaced<'a>(attrs: impl IntoIterator<Item = &'a Attribute>, errors: &mut Errors) {
    for attr in attrs {
        let Some(attr::Known { name, layer, .. }) = attr::known(attr.path()) else {
            continue;
        };
        errors.at(
            attr,
            &format_args!("`#[{name}]` belongs on a field of a struct: on {layer}"),
        );
    }
}

const ENUM: &str = "`#[derive(Remat)]` goes on a struct: the layers of an enum have no fields to annotate\n\n\
    help: keep the enum as it is, put it into a field of a struct and annotate that field with `#[checkpoint]`";

pub(super) fn refuse_enum(data: &DataEnum, errors: &mut Errors) {
    errors.at(&data.enum_token, &ENUM);
    for variant in &data.variants {
        misplaced(&variant.attrs, errors);
        for field in &variant.fields {
            misplaced(&field.attrs, errors);
        }
    }
}

pub(super) fn refuse_union(data: &DataUnion, errors: &mut Errors) {
    errors.at(
        &data.union_token,
        &"a union cannot be a module: `#[derive(Remat)]` goes on a struct",
    );
    for field in &data.fields.named {
        misplaced(&field.attrs, errors);
    }
}
