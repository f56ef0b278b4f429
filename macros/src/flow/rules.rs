//! What a layer in place must not overwrite, and how that is said.

use std::collections::BTreeMap;

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Expr, ExprCall, spanned::Spanned};

use super::{
    Flow,
    state::{Holder, Who},
    value::{Site, Value},
};
use crate::{
    error::Errors,
    syntax::{as_ident, peel, show},
    table::Row,
};

/// The faults that were found, each call once, though a loop goes through it several times.
#[derive(Default)]
pub struct Faults(BTreeMap<Site, (usize, syn::Error)>);

impl Faults {
    fn add(&mut self, call: Site, error: syn::Error) {
        let count = self.0.len();
        self.0.entry(call).or_insert((count, error));
    }

    /// In the order in which they were found.
    pub fn report(self, errors: &mut Errors) {
        let mut faults: Vec<_> = self.0.into_values().collect();
        faults.sort_by_key(|(found, _)| *found);
        for (_, error) in faults {
            errors.push(error);
        }
    }
}

/// The layer of a call.
pub struct Layer {
    /// As the user writes it: `self.relu`.
    pub text: String,
    /// Whether its gradient needs its output.
    pub keeps_output: bool,
}

impl Layer {
    pub fn of(layer: &Expr, row: &Row) -> Self {
        let text = show(&layer.to_token_stream());
        Self {
            text: text.trim_start_matches(['&', '*']).to_string(),
            keeps_output: row.keeps_output,
        }
    }
}

impl Flow<'_> {
    /// The call of a layer in place: its input is overwritten, and is its output.
    pub fn in_place(
        &mut self,
        call: &ExprCall,
        input: &Expr,
        value: &Value,
        layer: &Layer,
    ) -> Value {
        if let Some(why) = self.why_not(input, value) {
            let Why { holds, help } = why;
            let message = format!(
                "`{}` would overwrite its input, but {holds}\n\nhelp: {help}, or remove `#[inplace]`",
                layer.text
            );
            self.faults
                .add(Site::of(call), syn::Error::new_spanned(input, message));
        }
        let output = self.make(call);
        if layer.keeps_output {
            self.hold(&output, Who::Inplace, &layer.text, call.func.span());
        }
        output
    }

    /// Who else holds the value.
    fn why_not(&self, input: &Expr, value: &Value) -> Option<Why> {
        let state = self.state.as_ref()?;
        for buffer in value.buffers() {
            let (variables, waits) = state.sharing(buffer);
            // The module is in the variable `self`, which is no news.
            let holder = state.holders.get(&buffer);
            if let Some(holder) = holder {
                return Some(Why::held(holder));
            }
            let declarations = variables.iter();
            let mut declarations =
                declarations.filter_map(|variable| self.scopes.declaration(*variable));
            if let Some(declaration) = declarations.next() {
                return Some(Why::shared(input, &declaration.name, declaration.place));
            }
            if waits {
                return Some(Why::waiting());
            }
        }
        None
    }
}

struct Why {
    holds: String,
    help: String,
}

impl Why {
    fn held(holder: &Holder) -> Self {
        let Holder { who, text, place } = holder;
        let line = line(*place);
        let (holds, help) = match who {
            Who::Layer => (
                format!("`{text}`{line} is given it too, and keeps it for its gradient"),
                "give that layer a tensor of its own, or compute this one from another value",
            ),
            Who::Strategy(attribute) => (
                format!(
                    "`{text}`{line} is given it too, and with `#[{attribute}]` it keeps its input for the backward pass"
                ),
                "give that layer a tensor of its own, or compute this one from another value",
            ),
            Who::Operation => (
                format!("`{text}`{line} keeps it for its gradient"),
                "use the output of this layer there, or another value here",
            ),
            Who::Inplace => (
                format!(
                    "it is the output of `{text}`{line}, which is in place as well and needs its output for its gradient"
                ),
                "let only one of the two be in place",
            ),
            Who::Unknown => (
                format!("`{text}`{line} is given it too, and may keep it"),
                "call that with a value of its own, or after this layer with its output",
            ),
            Who::Closure => (
                format!("{text}{line} names it, and may run later"),
                "hand it to the closure as an argument",
            ),
            Who::Macro => (
                format!("`{text}`{line} names it, and may keep it"),
                "call that outside of a macro, or after this layer with its output",
            ),
            Who::List => (
                format!("{text}{line} has it twice"),
                "take one of the two",
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
            holds,
            help: help.to_string(),
        }
    }

    /// Another variable is a handle of the same tensor.
    fn shared(input: &Expr, name: &str, place: Span) -> Self {
        let line = line(place);
        let clone = match peel(input) {
            Expr::MethodCall(call) if call.method == "clone" => as_ident(&call.receiver),
            _ => None,
        };
        let help = match clone {
            Some(cloned) if *cloned == name => format!(
                "hand over `{name}` itself, without `.clone()`, if it is not needed any more; else write \
                 `#[recompute(cheap)]`"
            ),
            _ => format!("`drop({name})` before this call if it is not needed any more"),
        };
        Self {
            holds: format!("`{name}`{line} is another handle of the same tensor, and still alive"),
            help,
        }
    }

    fn waiting() -> Self {
        Self {
            holds: "another operand of the same expression is a clone of it".to_string(),
            help: "use the output of this layer there as well".to_string(),
        }
    }
}

/// Where something is: ` (line 12)`.
fn line(place: Span) -> String {
    // Tests are no macros, and rustc knows nothing of their sources.
    #[cfg(test)]
    let line = place.start().line;
    #[cfg(not(test))]
    let line = place.unwrap().line();
    format!(" (line {line})")
}
