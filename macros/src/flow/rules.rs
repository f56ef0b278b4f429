//! What a layer in place must not overwrite.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::{Expr, ExprCall, Member, spanned::Spanned};

use super::{
    Flow,
    state::{Holder, State, Who},
    value::{Buffer, Site, Value},
    why::Why,
};
use crate::{error::Errors, syntax::show, table::Row};

/// A call that overwrites what is still needed.
pub struct Fault {
    call: Site,
    /// What is overwritten.
    pub input: TokenStream,
    pub message: String,
    /// The field whose layers have to keep their output for it to be one.
    pub only_if: Option<Member>,
}

/// The faults that were found, each once, though a loop goes through its call several times.
#[derive(Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    fn add(&mut self, fault: Fault) {
        let is_same = |found: &Fault| found.call == fault.call && found.only_if == fault.only_if;
        if !self.0.iter().any(is_same) {
            self.0.push(fault);
        }
    }

    /// In the order in which they were found. Gives back those that may be none.
    pub fn report(self, errors: &mut Errors) -> Vec<Fault> {
        let (certain, mut open): (Vec<Fault>, Vec<Fault>) = self
            .0
            .into_iter()
            .partition(|fault| fault.only_if.is_none());
        open.retain(|open| certain.iter().all(|fault| fault.call != open.call));
        for fault in certain {
            errors.at(&fault.input, &fault.message);
        }
        open
    }
}

/// The layer of a call.
pub struct Layer<'t> {
    /// As the user writes it: `self.relu`.
    text: String,
    row: &'t Row,
}

impl<'t> Layer<'t> {
    pub fn of(layer: &Expr, row: &'t Row) -> Self {
        let text = show(&layer.to_token_stream());
        Self {
            text: text.trim_start_matches(['&', '*']).to_string(),
            row,
        }
    }

    /// It keeps its output, if the types say so where its name does not.
    fn as_holder(&self, place: Span) -> Holder {
        Holder {
            who: Who::Inplace,
            text: self.text.clone(),
            place,
            only_if: (!self.row.keeps_output).then(|| self.row.member.clone()),
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
        for Why {
            holds,
            help,
            only_if,
            ..
        } in self.why_not(input, value)
        {
            let message = format!(
                "`{}` would overwrite its input, but {holds}\n\nhelp: {help}, or remove `#[inplace]`",
                layer.text
            );
            self.faults.add(Fault {
                call: Site::of(call),
                input: input.to_token_stream(),
                message,
                only_if,
            });
        }
        let output = self.make(call);
        if let Some(state) = &mut self.state {
            state.hold(&output, &layer.as_holder(call.func.span()));
        }
        output
    }

    /// Who else holds the value: the first who does for certain, or all who may.
    fn why_not(&self, input: &Expr, value: &Value) -> Vec<Why> {
        let Some(state) = &self.state else {
            return Vec::new();
        };
        let buffers = value.buffers().into_iter();
        let all = buffers.flat_map(|buffer| self.others_of(state, input, buffer));
        let (certain, open): (Vec<Why>, Vec<Why>) = all.partition(|why| why.only_if.is_none());
        // Buffers come in no order that would be the same twice.
        let first = certain.into_iter().min_by_key(Why::order);
        first.map_or(open, |first| vec![first])
    }

    /// Who else holds a buffer.
    fn others_of(&self, state: &State, input: &Expr, buffer: Buffer) -> Vec<Why> {
        // The module is in the variable `self`, which is no news.
        let holder = state.holders.get(&buffer).map(Why::held);
        let (variables, waits) = state.sharing(buffer);
        let shared = variables.iter().map(|variable| {
            let value = state.variables.get(variable);
            let is_same = value.is_some_and(|value| value.buffers().contains(&buffer));
            match self.scopes.declaration(*variable) {
                Some((declaration, is_shadowed)) if is_same => {
                    Why::shared(input, declaration, is_shadowed)
                }
                Some((declaration, is_shadowed)) => Why::given_back(declaration, is_shadowed),
                // What has no name is a temporary, and waits for the end of its statement.
                None => Why::waiting(),
            }
        });
        let waiting = waits.then(Why::waiting);
        holder.into_iter().chain(shared).chain(waiting).collect()
    }
}
