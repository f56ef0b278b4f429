//! Fields with a strategy.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::{Field, Fields, Ident, Member, Type, ext::IdentExt};

use super::member;
use crate::{
    attr::{self, Annotation},
    burn::{self, Casts},
    constant::{constant, unreported},
    default::Default,
    error::Errors,
    strategy::Strategy,
};

/// A field with a strategy.
pub struct Layer<'a> {
    pub original: &'a Field,
    pub member: Member,
    pub annotation: Annotation<'a>,
    /// The associated constant that carries the strategy.
    pub constant: Ident,
}

impl Layer<'_> {
    /// Whether this is the field, and its layers are put into groups.
    pub(super) fn is_grouped(&self, member: &Member) -> bool {
        self.member == *member && self.annotation.strategy == Strategy::CheckpointSequence
    }

    /// `Block.attention`: how messages and reports call the layer.
    pub fn label(&self, container: &Ident) -> String {
        let field = match &self.member {
            Member::Named(ident) => ident.unraw().to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        format!("{}.{field}", container.unraw())
    }

    /// The attribute without its `#[..]`, for errors about it.
    pub fn attribute(&self) -> &dyn ToTokens {
        &self.annotation.original.meta
    }
}

pub(super) fn of<'a>(
    fields: &'a Fields,
    mut default: Option<&mut Default<'a>>,
    constants: &mut BTreeSet<String>,
    errors: &mut Errors,
) -> Vec<Layer<'a>> {
    let mut layers = Vec::new();
    for (index, original) in fields.iter().enumerate() {
        let own = attr::annotation(&original.attrs, errors);
        let annotation = match &mut default {
            Some(default) => default.apply(original, own, errors),
            None => own,
        };
        if let Some(mut annotation) = annotation {
            annotation.strategy = of_type(&annotation, &original.ty);
            let attribute = annotation.original.path();
            let mut constant = constant(index, original, attribute, constants);
            if matches!(&default, Some(default) if default.is_island(&annotation)) {
                constant = unreported(&constant);
            }
            layers.push(Layer {
                original,
                member: member(index, original),
                constant,
                annotation,
            });
        }
    }
    layers
}

/// The strategy for a layer of that type.
fn of_type(annotation: &Annotation, ty: &Type) -> Strategy {
    let casting = annotation.options.casting.as_ref();
    let low = casting.is_some_and(|casting| casting.precision.is_low());
    match annotation.strategy {
        Strategy::Autocast if low && burn::casts(ty) == Some(Casts::Attention) => {
            Strategy::AutocastAttention
        }
        strategy => strategy,
    }
}
