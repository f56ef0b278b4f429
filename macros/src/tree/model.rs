//! What `#[derive(TensorTree)]` knows about a type.

use proc_macro2::Span;
use quote::format_ident;
use syn::{
    Attribute, Data, DeriveInput, Field, Fields, Generics, Ident, Path, ext::IdentExt,
    spanned::Spanned,
};

use crate::{
    attr::{self, REMAT},
    error::Errors,
};

pub struct Tree<'a> {
    pub ident: &'a Ident,
    pub generics: &'a Generics,
    pub krate: Path,
    pub shape: Shape<'a>,
}

pub enum Shape<'a> {
    Struct(Variant<'a>),
    Enum(Vec<Variant<'a>>),
}

/// The struct, or one variant of the enum.
pub struct Variant<'a> {
    /// `None` for a struct.
    pub ident: Option<&'a Ident>,
    pub fields: &'a Fields,
    pub branches: Vec<Branch<'a>>,
}

/// A field.
pub struct Branch<'a> {
    pub original: &'a Field,
    /// The variable that holds it, which the user's code cannot see.
    pub local: Ident,
    /// Whether there are no tensors in it: `#[remat(skip)]`.
    pub skip: bool,
}

impl<'a> Tree<'a> {
    /// `None` for what cannot be a tree at all.
    pub fn from_input(input: &'a DeriveInput, errors: &mut Errors) -> Option<Self> {
        let krate = attr::crate_path(&input.attrs, errors);
        let shape = match &input.data {
            Data::Struct(data) => Shape::Struct(Variant::new(None, &data.fields, errors)),
            Data::Enum(data) => {
                let variant = |variant: &'a syn::Variant| {
                    misplaced(&variant.attrs, errors);
                    Variant::new(Some(&variant.ident), &variant.fields, errors)
                };
                Shape::Enum(data.variants.iter().map(variant).collect())
            }
            Data::Union(data) => {
                errors.at(
                    &data.union_token,
                    &"a union cannot be a `TensorTree`: nothing tells which of its fields is there\
                      \n\nhelp: use an enum",
                );
                return None;
            }
        };
        Some(Self {
            ident: &input.ident,
            generics: &input.generics,
            krate,
            shape,
        })
    }

    pub fn branches(&self) -> impl Iterator<Item = &Branch<'a>> {
        let variants = match &self.shape {
            Shape::Struct(variant) => std::slice::from_ref(variant),
            Shape::Enum(variants) => variants,
        };
        variants.iter().flat_map(|variant| &variant.branches)
    }
}

fn misplaced(attrs: &[Attribute], errors: &mut Errors) {
    for attr in attr::named(attrs, REMAT) {
        errors.at(
            attr,
            &"`#[remat(..)]` belongs on the type, `#[remat(crate = path)]`, or on a field, `#[remat(skip)]`",
        );
    }
}

impl<'a> Variant<'a> {
    fn new(ident: Option<&'a Ident>, fields: &'a Fields, errors: &mut Errors) -> Self {
        let branch = |(index, original): (usize, &'a Field)| Branch {
            original,
            local: local(index, original),
            skip: attr::skip(&original.attrs, errors).is_some(),
        };
        Self {
            ident,
            fields,
            branches: fields.iter().enumerate().map(branch).collect(),
        }
    }
}

/// `query` for the field `query`, `field_0` for the first one of a tuple.
fn local(index: usize, field: &Field) -> Ident {
    match &field.ident {
        Some(ident) => {
            let mut local = ident.clone();
            local.set_span(ident.span().resolved_at(Span::mixed_site()));
            local
        }
        None => format_ident!(
            "field_{index}",
            span = field.ty.span().resolved_at(Span::mixed_site())
        ),
    }
}

impl Tree<'_> {
    /// A name that neither a field nor a generic parameter has.
    pub fn fresh(&self, base: &str) -> Ident {
        let generics = self.generics.params.iter().filter_map(|param| match param {
            syn::GenericParam::Type(param) => Some(&param.ident),
            syn::GenericParam::Const(param) => Some(&param.ident),
            syn::GenericParam::Lifetime(_) => None,
        });
        let fields = self.branches().map(|branch| &branch.local);
        let taken: Vec<String> = generics
            .chain(fields)
            .map(|ident| ident.unraw().to_string())
            .collect();
        let mut name = base.to_string();
        while taken.contains(&name) {
            name.push('_');
        }
        Ident::new(&name, Span::mixed_site())
    }
}
