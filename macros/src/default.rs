//! `#[autocast(bf16)]` on a struct: what its layers of burn's compute in.

use syn::{Attribute, Field};

use crate::{
    attr::{self, AUTOCAST, Annotation, Casting, Options, Precision, of_struct, stacked},
    burn::{self, Casts},
    error::Errors,
    strategy::Strategy,
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
        let Some(casts) = burn::casts(&field.ty).filter(|_| is_called(field)) else {
            return own;
        };
        if own.as_ref().is_some_and(has_own) {
            self.reached = true;
            return own;
        }
        let precision = match (casts, self.casting.precision) {
            // Among layers in 16 bits: where they are used in between, an island.
            (Casts::Sums | Casts::Loss | Casts::Wide, _) => Precision::F32,
            (Casts::Low | Casts::Attention | Casts::OnlyF32(_), precision) => precision,
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
