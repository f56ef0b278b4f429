//! What `#[derive(Remat)]` knows about a struct.

mod layer;
mod misplaced;
mod steps;
mod tail;

use std::collections::BTreeSet;

use syn::{
    Attribute, Data, DeriveInput, Field, Fields, Generics, Ident, Index, Member, Path, Type,
    Visibility,
};

pub use layer::Layer;
pub use steps::{Sequential, Step};
pub use tail::Tail;

use crate::{
    attr,
    default::Default,
    error::Errors,
    kind::Shape,
    syntax::{last_name, peel_type},
};
use misplaced::{misplaced, refuse_enum, refuse_union};

pub struct Container<'a> {
    pub ident: &'a Ident,
    pub vis: &'a Visibility,
    pub generics: &'a Generics,
    pub krate: Path,
    /// The fields with a strategy.
    pub layers: Vec<Layer<'a>>,
    /// The fields with `#[remat(tail)]`.
    pub tails: Vec<Tail<'a>>,
    /// The fields of a type named `Dropout`, which the output of a tail may pass.
    pub dropouts: Vec<Member>,
    pub sequential: Option<Sequential<'a>>,
}

impl<'a> Container<'a> {
    pub fn from_input(input: &'a DeriveInput, errors: &mut Errors) -> Self {
        let is_struct = matches!(input.data, Data::Struct(_));
        let has_default = |attr: &&Attribute| is_struct && attr.path().is_ident(attr::AUTOCAST);
        misplaced(input.attrs.iter().filter(|attr| !has_default(attr)), errors);
        let attr::Container { krate, sequential } = attr::container(&input.attrs, errors);
        let mut container = Self {
            ident: &input.ident,
            vis: &input.vis,
            generics: &input.generics,
            krate,
            layers: Vec::new(),
            tails: Vec::new(),
            dropouts: Vec::new(),
            sequential: None,
        };
        match &input.data {
            Data::Struct(data) => {
                let default = Default::of(&input.attrs, errors);
                container.read(&data.fields, default, sequential, errors);
            }
            Data::Enum(data) => refuse_enum(data, errors),
            Data::Union(data) => refuse_union(data, errors),
        }
        container
    }

    fn read(
        &mut self,
        fields: &'a Fields,
        mut default: Option<Default<'a>>,
        sequential: Option<attr::Sequential>,
        errors: &mut Errors,
    ) {
        let said = said_of_fields(fields, errors);
        let mut steps = steps::of(fields, &said, sequential.is_some(), errors);
        let mut constants = BTreeSet::new();
        self.layers = layer::of(fields, default.as_mut(), &mut constants, errors);
        self.tails = tail::of(fields, said, &mut constants, errors);
        if let Some(default) = &default {
            default.check(errors);
            for tail in &self.tails {
                tail.refuse(default, errors);
            }
        }
        self.dropouts = dropouts(fields);
        for step in &mut steps {
            // An alias of a list, then.
            if (self.layers.iter()).any(|layer| layer.is_grouped(&step.member)) {
                step.shape = Shape::List;
            }
        }
        self.sequential = sequential.and_then(|attr| Sequential::new(attr, steps));
    }
}

/// What `#[remat(..)]` says about each field.
fn said_of_fields(fields: &Fields, errors: &mut Errors) -> Vec<attr::Field> {
    let attrs = fields.iter().map(|field| &field.attrs);
    attrs.map(|attrs| attr::field(attrs, errors)).collect()
}

fn dropouts(fields: &Fields) -> Vec<Member> {
    let fields = fields.iter().enumerate();
    let dropouts = fields.filter(|(_, field)| matches!(peel_type(&field.ty), Type::Path(ty) if last_name(&ty.path) == "Dropout"));
    dropouts
        .map(|(index, field)| member(index, field))
        .collect()
}

fn member(index: usize, field: &Field) -> Member {
    match &field.ident {
        Some(ident) => Member::Named(ident.clone()),
        None => Member::Unnamed(Index::from(index)),
    }
}
