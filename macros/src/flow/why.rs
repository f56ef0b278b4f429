//! Who else holds what a layer in place would overwrite, and how that is said.

use proc_macro2::Span;
use syn::{Expr, Member};

use super::{
    scope::Declaration,
    state::{Holder, Who},
};
use crate::syntax::{as_ident, peel};

pub struct Why {
    /// What is certain comes first.
    rank: u8,
    place: Option<Span>,
    pub holds: String,
    pub help: String,
    /// The field whose layers have to keep their output for it to be so.
    pub only_if: Option<Member>,
}

/// What somebody else keeps cannot be saved; the output can.
const KEPT_ANYWAY: &str =
    "write `#[recompute(cheap)]`: the input is kept in any case, and the output is not then";

impl Why {
    pub fn held(holder: &Holder) -> Self {
        let Holder {
            who,
            text,
            place,
            only_if,
        } = holder;
        let line = line(*place);
        let (holds, help) = match who {
            Who::Layer => (
                format!("`{text}`{line} is given it too, and keeps it for its gradient"),
                KEPT_ANYWAY,
            ),
            Who::Strategy(attribute) => (
                format!(
                    "`{text}`{line} is given it too, and with `#[{attribute}]` it keeps its input for the backward pass"
                ),
                KEPT_ANYWAY,
            ),
            Who::Operation => (
                format!("`{text}`{line} keeps it for its gradient"),
                KEPT_ANYWAY,
            ),
            Who::Inplace => (
                format!(
                    "it is the output of `{text}`{line}, which is in place as well and needs its output for its gradient"
                ),
                "let only one of the two be in place",
            ),
            Who::Unknown => (
                format!("`{text}`{line} is given it too, and may keep it"),
                "write `#[recompute(cheap)]`, or call that after this layer with its output",
            ),
            Who::Closure => (
                format!("{text}{line} names it, and may run later"),
                "hand it to the closure as an argument",
            ),
            Who::Future => (
                format!("`async`{line} names it, and may run later"),
                "call this layer in front of the `async` block, and name its output there",
            ),
            Who::Macro => (
                format!("`{text}`{line} names it, and may keep it"),
                "call that outside of a macro, or after this layer with its output",
            ),
            Who::List => (
                format!("{text}{line} has it twice"),
                "take one of the two",
            ),
            Who::Pieces => (
                format!("`{text}`{line} gives several views of it"),
                "call this layer before that",
            ),
            Who::Elsewhere => (
                format!("it was put somewhere by a reference{line}, and may be there"),
                "put the output of this layer there",
            ),
            Who::Module => (
                "it belongs to the module: a parameter is a leaf of the graph, and must stay what it is".to_string(),
                "overwrite the result of an operation on it",
            ),
            Who::Caller => (
                format!("`{text}`{line} is only lent by the caller, who still holds it"),
                "take the tensor by value",
            ),
            Who::Leaf => (
                format!("`{text}`{line} makes it a leaf of the graph, which must stay what it is"),
                "overwrite the result of an operation on it",
            ),
        };
        Self {
            rank: 0,
            place: Some(*place),
            holds,
            help: help.to_string(),
            only_if: only_if.clone(),
        }
    }

    /// Which one a message tells, if there are several: the one that comes first in the code, of the first kind.
    pub fn order(&self) -> (u8, (usize, usize)) {
        (self.rank, self.place.map_or((0, 0), position))
    }

    /// A variable still has what a function may have given back.
    pub fn given_back(declaration: &Declaration, is_shadowed: bool) -> Self {
        let dropping = dropping(declaration, is_shadowed);
        let Declaration { name, place } = declaration;
        let line = line(*place);
        Self {
            rank: 2,
            place: Some(*place),
            holds: format!(
                "it may be `{name}`{line}, which is still alive: a function may give back what it is given"
            ),
            help: format!("{dropping}, or call the function `forward_..` if it is a layer"),
            only_if: None,
        }
    }

    /// Another variable is a handle of the same tensor.
    pub fn shared(input: &Expr, declaration: &Declaration, is_shadowed: bool) -> Self {
        let Declaration { name, place } = declaration;
        let line = line(*place);
        let clone = match peel(input) {
            Expr::MethodCall(call) if call.method == "clone" => as_ident(&call.receiver),
            _ => None,
        };
        let help = match clone {
            Some(cloned) if *cloned == name && !is_shadowed => format!(
                "hand over `{name}` itself, without `.clone()`, if it is not needed any more; else write \
                 `#[recompute(cheap)]`"
            ),
            _ => dropping(declaration, is_shadowed),
        };
        Self {
            rank: 1,
            place: Some(*place),
            holds: format!("`{name}`{line} is another handle of the same tensor, and still alive"),
            help,
            only_if: None,
        }
    }

    pub fn waiting() -> Self {
        Self {
            rank: 3,
            place: None,
            holds: "another operand of the same expression is a clone of it".to_string(),
            help: KEPT_ANYWAY.to_string(),
            only_if: None,
        }
    }
}

/// A variable whose name another one has cannot be named where the layer is called.
fn dropping(Declaration { name, .. }: &Declaration, is_shadowed: bool) -> String {
    if is_shadowed {
        format!(
            "another variable is called `{name}` by now: give this one another name, and `drop` it before this call if \
             it is not needed any more"
        )
    } else {
        format!("`drop({name})` before this call if it is not needed any more")
    }
}

/// Where something is: ` (line 12)`.
fn line(place: Span) -> String {
    format!(" (line {})", position(place).0)
}

/// Line and column.
fn position(place: Span) -> (usize, usize) {
    // Tests are no macros, and rustc knows nothing of their sources.
    #[cfg(test)]
    let position = (place.start().line, place.start().column);
    // (This `unwrap` gives rustc's own span, which every token in a macro has, whatever a user writes: nothing can panic.)
    #[cfg(not(test))]
    let position = (place.unwrap().line(), place.unwrap().column());
    position
}
