//! The strategy of a field.

use syn::Attribute;

use super::{
    CHECKPOINT, Checkpoint, Grouping, RECOMPUTE, Recompute, checkpoint::checkpoint,
    recompute::recompute,
};
use crate::error::Errors;

/// The annotation of a field.
pub enum Strategy<'a> {
    Checkpoint(Box<Checkpoint<'a>>),
    Recompute(Recompute<'a>),
}

/// The attributes that are strategies.
const STRATEGIES: [&str; 2] = [CHECKPOINT, RECOMPUTE];

pub fn is_strategy(attr: &Attribute) -> bool {
    STRATEGIES.iter().any(|name| attr.path().is_ident(name))
}

/// The one strategy among `attrs`.
pub fn strategy<'a>(attrs: &'a [Attribute], errors: &mut Errors) -> Option<Strategy<'a>> {
    let checkpoint = checkpoint(attrs, errors);
    let recompute = recompute(attrs, errors);
    if let (Some(first), Some(second)) = (&checkpoint, &recompute) {
        errors.twice(
            first.original,
            second.original,
            &"a checkpointed layer keeps its output for those who need it: `#[checkpoint]` and `#[recompute(..)]` do \
              not stack\n\nhelp: remove one of the two",
        );
    }
    let checkpoint = checkpoint.map(|checkpoint| Strategy::Checkpoint(Box::new(checkpoint)));
    checkpoint.or(recompute.map(Strategy::Recompute))
}

impl<'a> Strategy<'a> {
    pub fn original(&self) -> &'a Attribute {
        match self {
            Self::Checkpoint(checkpoint) => checkpoint.original,
            Self::Recompute(recompute) => recompute.original,
        }
    }

    pub fn deterministic(&self) -> bool {
        match self {
            Self::Checkpoint(checkpoint) => checkpoint.deterministic,
            Self::Recompute(recompute) => recompute.deterministic,
        }
    }

    pub fn early_stop(&self) -> bool {
        matches!(self, Self::Checkpoint(checkpoint) if checkpoint.early_stop)
    }

    pub fn grouping(&self) -> Option<&Grouping> {
        match self {
            Self::Checkpoint(checkpoint) => checkpoint.grouping.as_ref(),
            Self::Recompute(_) => None,
        }
    }
}
