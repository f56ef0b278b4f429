//! The annotation of a field: which strategy, with which options.

use proc_macro2::Span;
use syn::{Attribute, Path};

use super::{
    AUTOCAST, CHECKPOINT, Casting, FROZEN_STATS, Grouping, INPLACE, QUANTIZE, Quantization,
    RECOMPUTE, autocast, checkpoint, frozen_stats, inplace, named, quantize, recompute,
    stack::stack,
};
use crate::{error::Errors, strategy::Strategy};

/// An attribute that is a strategy.
pub struct Known {
    pub name: &'static str,
    /// The attribute, for messages.
    pub shown: &'static str,
    /// The layer that it goes on, for messages.
    pub layer: &'static str,
    /// Whether the layer runs again in the backward pass.
    pub again: bool,
    /// Takes an attribute of this name apart.
    read: fn(&Attribute, &mut Errors) -> (Strategy, Options),
}

/// Where a field has several of them, the first one here counts.
static KNOWN: [Known; 6] = [
    Known {
        name: CHECKPOINT,
        shown: "#[checkpoint]",
        layer: AGAIN,
        again: true,
        read: checkpoint::read,
    },
    Known {
        name: RECOMPUTE,
        shown: "#[recompute(..)]",
        layer: AGAIN,
        again: true,
        read: recompute::read,
    },
    Known {
        name: FROZEN_STATS,
        shown: "#[frozen_stats]",
        layer: "the `BatchNorm`, or the module that contains one",
        again: false,
        read: frozen_stats::read,
    },
    Known {
        name: AUTOCAST,
        shown: "#[autocast(..)]",
        layer: "the layer that is to compute in another precision",
        again: false,
        read: autocast::read,
    },
    Known {
        name: QUANTIZE,
        shown: "#[quantize(..)]",
        layer: "the layer that is to keep its inputs compressed",
        again: false,
        read: quantize::read,
    },
    Known {
        name: INPLACE,
        shown: "#[inplace]",
        layer: "the activation that is to overwrite its input",
        again: false,
        read: inplace::read,
    },
];

const AGAIN: &str = "the layer that is to run again in the backward pass";

/// The annotation of a field.
pub struct Annotation<'a> {
    pub original: &'a Attribute,
    pub strategy: Strategy,
    pub options: Options,
}

/// What an annotation says about its strategy.
#[derive(Default)]
pub struct Options {
    /// `deterministic`: the layer draws nothing at random.
    pub deterministic: bool,
    /// `early_stop`: the second run ends where nothing more is needed. The place of the word.
    pub early_stop: Option<Span>,
    /// `update`: the running statistics still move.
    pub updating: bool,
    /// How the layers of a list are put together.
    pub grouping: Option<Grouping>,
    /// How what is kept of the inputs is compressed.
    pub quantization: Option<Quantization>,
    /// In what the layer computes.
    pub casting: Option<Casting>,
}

/// The strategy that is called so, if it is one.
pub fn known(name: &Path) -> Option<&'static Known> {
    KNOWN.iter().find(|known| name.is_ident(known.name))
}

pub fn is_strategy(attr: &Attribute) -> bool {
    known(attr.path()).is_some()
}

/// The strategy among `attrs`: one, or several that [`stack`].
pub fn annotation<'a>(attrs: &'a [Attribute], errors: &mut Errors) -> Option<Annotation<'a>> {
    let mut found: Option<(&Known, Annotation)> = None;
    for known in &KNOWN {
        let Some(annotation) = known.annotation(attrs, errors) else {
            continue;
        };
        match &mut found {
            Some((first, kept)) => stack((first, kept), (known, annotation), errors),
            None => found = Some((known, annotation)),
        }
    }
    found.map(|(_, annotation)| annotation)
}

/// An annotation that the struct has for a field, together with the field's own.
pub fn stacked<'a>(
    own: Option<Annotation<'a>>,
    default: Annotation<'a>,
    errors: &mut Errors,
) -> Annotation<'a> {
    let place = |annotation: &Annotation| {
        let path = annotation.original.path();
        KNOWN.iter().position(|known| path.is_ident(known.name))
    };
    let Some(own) = own else { return default };
    let (Some(a), Some(b)) = (place(&own), place(&default)) else {
        return own;
    };
    let (first, mut kept, second, added) = if a < b {
        (a, own, b, default)
    } else {
        (b, default, a, own)
    };
    stack((&KNOWN[first], &mut kept), (&KNOWN[second], added), errors);
    kept
}

impl Known {
    /// The one attribute of this name.
    fn annotation<'a>(
        &self,
        attrs: &'a [Attribute],
        errors: &mut Errors,
    ) -> Option<Annotation<'a>> {
        let mut attrs = named(attrs, self.name);
        let original = attrs.next()?;
        let (strategy, options) = (self.read)(original, errors);
        for second in attrs {
            let shown = self.shown;
            let message = format!("duplicate `{shown}`: a field has at most one");
            errors.twice(original, second, &message);
        }
        Some(Annotation {
            original,
            strategy,
            options,
        })
    }
}
