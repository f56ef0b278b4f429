//! Where an annotated layer can leave what the walk follows, and what to say about it.

use std::fmt::{self, Display};

use quote::ToTokens;

use super::{
    value::{Derived, Layer, Value},
    walk::Walk,
};
use crate::syntax::show;

/// A place that a layer must not get to: a `forward` call there would be missed.
pub enum Escape {
    /// An argument of this function.
    Argument(String),
    /// The argument of this function, which is itself a `forward`: `MultiHeadAttention::forward(&self.f, x)`.
    PathCall(String),
    /// An argument of this method.
    MethodArgument(String),
    /// The receiver of this method, whose result holds the layer.
    Through(String),
    /// The receiver of this method, which calls a function that is not written there as a closure.
    Function(String),
    Struct,
    Array,
    /// The elements of this macro call.
    Macro(String),
    Return,
    Break,
    Closure,
    Assignment,
    /// The value of an `if` or `match` whose branches do not all give it.
    Branch,
    /// The other iterator of a `.chain(..)` has other layers.
    Chain,
}

impl Escape {
    /// Where to: completes "remat cannot follow it ..".
    fn destination(&self) -> String {
        match self {
            Self::Argument(function) => format!("into the function `{function}`"),
            Self::PathCall(function) => format!("into `{function}`, which is called by its path"),
            Self::MethodArgument(method) => format!("into an argument of `{method}`"),
            Self::Through(method) => format!("through `{method}`"),
            Self::Function(method) => format!("into the function that `{method}` calls"),
            Self::Struct => "into a struct".to_string(),
            Self::Array => "into an array".to_string(),
            Self::Macro(name) => format!("into `{name}!`"),
            Self::Return => "out of this method".to_string(),
            Self::Break => "out of this `break`".to_string(),
            Self::Closure => "out of this closure".to_string(),
            Self::Assignment => "through an assignment".to_string(),
            Self::Branch => {
                "out of this branch, because another one gives something else".to_string()
            }
            Self::Chain => "through `chain` with layers of another field".to_string(),
        }
    }

    fn help(&self, mention: &str) -> String {
        match self {
            Self::PathCall(_) => format!("write it as a method call: `{mention}.forward(..)`"),
            Self::Function(_) => "write a closure: `|layer| layer.forward(..)`".to_string(),
            Self::Through(method) if gives_an_alternative(method) => {
                "match the field: `if let Some(layer) = &self.field { .. }`".to_string()
            }
            Self::Through(_) => {
                "loop over the field: `for layer in &self.field { .. }`".to_string()
            }
            Self::Branch => "call `forward` in the branch".to_string(),
            Self::Chain => "write one loop after the other".to_string(),
            Self::Assignment => "bind it with `let`, and call `forward` on that name".to_string(),
            _ => "call `forward` on it here and hand on the output; a method that is no part of the forward pass \
                belongs in an `impl` without `#[remat::forward]`"
                .to_string(),
        }
    }
}

/// `option.unwrap_or(other)`
fn gives_an_alternative(method: &str) -> bool {
    method.starts_with("unwrap_or") || matches!(method, "or" | "or_else" | "xor")
}

impl Walk<'_> {
    /// Reports the layers in a value that gets where it cannot be followed.
    pub fn escape(&mut self, value: &Value, escape: &Escape) {
        for layer in value.layers() {
            let message = EscapeMessage {
                mention: show(&layer.mention),
                attribute: self.table.rows[layer.row].strategy.attribute(),
                escape,
            };
            let error = syn::Error::new_spanned(&layer.mention, message);
            self.report(layer.segment, error);
        }
    }

    /// Reports an error about a layer, which is none if it is in a loop that is a segment as a whole.
    fn report(&mut self, segment: Option<usize>, error: syn::Error) {
        match segment.and_then(|index| self.segments.get_mut(index)) {
            Some(segment) => segment.escapes.push(error),
            None => self.errors.push(error),
        }
    }

    /// Reports a `forward` call of something that may be a layer.
    pub fn lost(&mut self, derived: &Derived) {
        let Derived {
            mention, through, ..
        } = derived;
        self.errors.at(
            mention,
            &format_args!(
                "remat cannot follow an annotated field through {through}, so it cannot tell what `forward` is called \
                 on here\n\nhelp: call `forward` on the field itself, on an element of it (`self.field[i]`), or in a \
                 loop over it (`for layer in &self.field`)"
            ),
        );
    }

    /// Reports an assignment to a variable that is bound to a layer.
    pub fn rebound(&mut self, variable: &dyn ToTokens, layer: &Layer) {
        let attribute = self.table.rows[layer.row].strategy.attribute();
        let message = format!(
            "this variable is bound to a field with `#[{attribute}]`, and remat cannot follow it through an \
             assignment\n\nhelp: bind the other layer to another name with `let`"
        );
        self.report(layer.segment, syn::Error::new_spanned(variable, message));
    }
}

struct EscapeMessage<'a> {
    mention: String,
    attribute: &'static str,
    escape: &'a Escape,
}

impl Display for EscapeMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            mention,
            attribute,
            escape,
        } = self;
        write!(
            f,
            "`{mention}` has `#[{attribute}]`, and remat cannot follow it {}\n\nhelp: {}",
            escape.destination(),
            escape.help(mention)
        )
    }
}
