//! `#[autocast(bf16)]` on a struct: what its layers of burn's compute in.

use std::ptr;

use syn::{Attribute, Field, Type};

use crate::{
    attr::{self, AUTOCAST, Annotation, Casting, Options, Precision, of_struct, stacked},
    burn::{self, Casts},
    error::Errors,
    kind::{layer_type, not_a_layer},
    strategy::Strategy,
    syntax::show,
};

/// The precision for the fields that do not say their own.
pub struct Default<'a> {
    original: &'a Attribute,
    casting: Casting,
    /// Whether there was a field that it is for.
    reached: bool,
}

impl<'a> Default<'a> {
    /// What the attributes of a struct say.
    pub fn of(attrs: &'a [Attribute], errors: &mut Errors) -> Option<Self> {
        let mut attrs = attr::named(attrs, AUTOCAST);
        let original = attrs.next()?;
        for second in attrs {
            let message = "duplicate `#[autocast(..)]`: a struct has at most one";
            errors.twice(original, second, &message);
        }
        Some(Self {
            original,
            casting: of_struct(original, errors)?,
            reached: false,
        })
    }

    /// The annotation of a field, with the precision that the struct has for its type, unless it has its own.
    pub fn apply(
        &mut self,
        field: &'a Field,
        own: Option<Annotation<'a>>,
        errors: &mut Errors,
    ) -> Option<Annotation<'a>> {
        // In the precision that it finds: a cast input would be a copy.
        if matches!(&own, Some(own) if own.strategy == Strategy::Inplace) {
            return own;
        }
        let has_own = |own: &Annotation| own.options.casting.is_some();
        let layers = casts(&field.ty);
        if layers.iter().all(Option::is_none) || !is_called(field) {
            return own;
        }
        if own.as_ref().is_some_and(has_own) {
            self.reached = true;
            return own;
        }
        let Some(precision) = self.precision_of_all(&layers) else {
            self.differ(field, errors);
            return own;
        };
        self.reached |= precision == self.casting.precision;
        let options = Options {
            casting: Some(Casting {
                precision,
                ..self.casting.clone()
            }),
            ..Options::default()
        };
        let default = Annotation {
            original: self.original,
            strategy: Strategy::Autocast,
            options,
        };
        Some(stacked(own, default, errors))
    }

    fn precision_of(&self, casts: Casts) -> Precision {
        match casts {
            // Among layers in 16 bits: where they are used in between, an island.
            Casts::Sums | Casts::Loss | Casts::Wide => Precision::F32,
            Casts::Low | Casts::Attention | Casts::OnlyF32(_) => self.casting.precision,
        }
    }

    /// The precision for the layers of a field, if it is one for all.
    fn precision_of_all(&self, layers: &[Option<Casts>]) -> Option<Precision> {
        if let [only] = layers {
            return only.map(|casts| self.precision_of(casts));
        }
        let each = layers.iter().map(|casts| match casts {
            // These are called in ways of their own.
            None | Some(Casts::Attention | Casts::OnlyF32(_)) => None,
            Some(casts) => Some(self.precision_of(*casts)),
        });
        let each: Option<Vec<Precision>> = each.collect();
        let each = each?;
        let first = *each.first()?;
        each.iter().all(|other| *other == first).then_some(first)
    }

    /// Reports a tuple for which the struct has no one precision.
    fn differ(&mut self, field: &Field, errors: &mut Errors) {
        self.reached = true;
        let precision = self.casting.precision.variant().to_lowercase();
        errors.at(
            &field.ty,
            &format_args!(
                "the struct has `#[autocast({precision})]`, which is not the same for all layers of `{}`\
                 \n\nhelp: make a field of each layer, or say it for this one: `#[autocast(f32)]`",
                show(&field.ty)
            ),
        );
    }

    /// Whether this is an f32 layer among those in 16 bits, which nobody has asked for. What calls such a layer in another way,
    /// as `rope.apply(..)`, loses no precision, and there would be nothing to write that quiets a warning.
    pub fn is_island(&self, annotation: &Annotation) -> bool {
        let casting = annotation.options.casting.as_ref();
        let differs = casting.is_some_and(|casting| casting.precision != self.casting.precision);
        ptr::eq(annotation.original, self.original) && differs
    }

    /// A default that is for no field would do nothing.
    pub fn check(&self, errors: &mut Errors) {
        if !self.reached {
            errors.at(
                &self.original.meta,
                &"the struct has no layer of burn's that this is for: those in fields of your own types have \
                  annotations of their own\n\nhelp: put it on those structs, or on a field",
            );
        }
    }

    /// The attribute, for errors about it.
    pub fn original(&self) -> &'a Attribute {
        self.original
    }
}

/// What casts are to the layers of a field: to one, or to each in a tuple. `None` for a layer that is not burn's.
fn casts(ty: &Type) -> Vec<Option<Casts>> {
    match layer_type(ty) {
        Type::Tuple(tuple) => {
            let layers = tuple.elems.iter().filter(|ty| not_a_layer(ty).is_none());
            layers.flat_map(casts).collect()
        }
        layer => vec![burn::casts(layer)],
    }
}

/// Not a field that burn does not visit, or that is not run.
fn is_called(field: &Field) -> bool {
    let skips = |attr: &Attribute| {
        let tokens = attr.meta.require_list().map(|list| list.tokens.to_string());
        tokens.is_ok_and(|tokens| tokens == "skip")
    };
    let of_burn = attr::named(&field.attrs, "module");
    let mut attrs = of_burn.chain(attr::named(&field.attrs, attr::REMAT));
    !attrs.any(skips)
}
