//! What `#[derive(Remat)]` knows about a struct.

use std::collections::BTreeSet;

use proc_macro2::Span;
use quote::ToTokens;
use syn::{
    Attribute, Data, DeriveInput, Field, Fields, Generics, Ident, Index, Member, Path,
    ext::IdentExt,
};

use crate::{
    attr::{self, CHECKPOINT, Checkpoint, REMAT},
    error::Errors,
};

pub struct Container<'a> {
    pub ident: &'a Ident,
    pub generics: &'a Generics,
    pub krate: Path,
    /// The annotated fields.
    pub layers: Vec<Layer<'a>>,
}

/// A field with a strategy.
pub struct Layer<'a> {
    pub original: &'a Field,
    pub member: Member,
    pub checkpoint: Checkpoint<'a>,
    /// The associated constant that carries the strategy.
    pub constant: Ident,
}

impl<'a> Container<'a> {
    pub fn from_input(input: &'a DeriveInput, errors: &mut Errors) -> Self {
        misplaced(&input.attrs, errors);
        let layers = match &input.data {
            Data::Struct(data) => layers(&data.fields, errors),
            Data::Enum(data) => {
                errors.at(&data.enum_token, &ENUM);
                for variant in &data.variants {
                    misplaced(&variant.attrs, errors);
                    misplaced_in(&variant.fields, errors);
                }
                Vec::new()
            }
            Data::Union(data) => {
                errors.at(
                    &data.union_token,
                    &"a union cannot be a module: `#[derive(Remat)]` goes on a struct",
                );
                for field in &data.fields.named {
                    misplaced(&field.attrs, errors);
                }
                Vec::new()
            }
        };
        Self {
            ident: &input.ident,
            generics: &input.generics,
            krate: attr::crate_path(&input.attrs, errors),
            layers,
        }
    }
}

const ENUM: &str = "`#[derive(Remat)]` goes on a struct: the layers of an enum have no fields to annotate\n\n\
    help: keep the enum as it is, put it into a field of a struct and annotate that field with `#[checkpoint]`";

fn layers<'a>(fields: &'a Fields, errors: &mut Errors) -> Vec<Layer<'a>> {
    let mut constants = BTreeSet::new();
    let mut layers = Vec::new();
    for (index, original) in fields.iter().enumerate() {
        for attr in attr::named(&original.attrs, REMAT) {
            errors.at(
                attr,
                &"`#[remat(..)]` belongs on the struct: a field takes a strategy, such as `#[checkpoint]`",
            );
        }
        if let Some(checkpoint) = attr::checkpoint(&original.attrs, errors) {
            layers.push(Layer {
                original,
                member: member(index, original),
                constant: constant(index, original, checkpoint.original, &mut constants),
                checkpoint,
            });
        }
    }
    layers
}

/// `#[checkpoint]` above something that is not a field of a struct.
fn misplaced(attrs: &[Attribute], errors: &mut Errors) {
    for attr in attr::named(attrs, CHECKPOINT) {
        errors.at(
            attr,
            &"`#[checkpoint]` belongs on a field of a struct: on the layer that is to run again in the backward pass",
        );
    }
}

fn misplaced_in(fields: &Fields, errors: &mut Errors) {
    for field in fields {
        misplaced(&field.attrs, errors);
    }
}

fn member(index: usize, field: &Field) -> Member {
    match &field.ident {
        Some(ident) => Member::Named(ident.clone()),
        None => Member::Unnamed(Index::from(index)),
    }
}

/// A name that is free for the constant of a field, at the attribute's place.
///
/// An annotation that nothing applies is reported by rustc as "constant `..` is never used", at that place.
fn constant(index: usize, field: &Field, attr: &Attribute, taken: &mut BTreeSet<String>) -> Ident {
    let base = upper_name(index, field);
    let mut prefix = base.clone();
    let mut count = 1;
    while !taken.insert(prefix.clone()) {
        count += 1;
        prefix = format!("{base}_{count}");
    }
    let span = attr
        .path()
        .get_ident()
        .map_or_else(Span::call_site, Ident::span);
    Ident::new(
        &format!("{prefix}_CHECKPOINT_APPLIED_BY_REMAT_FORWARD"),
        span,
    )
}

/// `ATTENTION` for `attention`, `FIELD_0` for the first field of a tuple struct.
fn upper_name(index: usize, field: &Field) -> String {
    let upper = field.ident.as_ref().map(|ident| {
        // rustc does not report an unused name that starts with an underscore.
        ident
            .unraw()
            .to_string()
            .trim_start_matches('_')
            .to_uppercase()
    });
    match upper {
        // The upper case of a letter need not be a letter.
        Some(upper) if syn::parse_str::<Ident>(&format!("{upper}_")).is_ok() => upper,
        _ => format!("FIELD_{index}"),
    }
}

impl Layer<'_> {
    /// `Block.attention`: how messages and reports call the layer.
    pub fn label(&self, container: &Ident) -> String {
        let field = match &self.member {
            Member::Named(ident) => ident.unraw().to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        format!("{}.{field}", container.unraw())
    }

    /// The attribute without its `#[..]`, for errors about it.
    pub fn annotation(&self) -> &dyn ToTokens {
        &self.checkpoint.original.meta
    }
}
