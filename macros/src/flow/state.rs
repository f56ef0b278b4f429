//! What is known at a point of a method: who holds which buffer.

use std::collections::BTreeMap;

use proc_macro2::Span;

use super::value::{Buffer, Site, Value};

/// Somebody who holds a buffer for good, as far as the method can tell.
#[derive(Clone, Debug)]
pub struct Holder {
    pub who: Who,
    /// The words of the user's that say so.
    pub text: String,
    pub place: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// A layer, which keeps its input for its gradient.
    Layer,
    /// A layer with a strategy that keeps its input. The attribute's name.
    Strategy(&'static str),
    /// An operation, which keeps its operand for its gradient.
    Operation,
    /// Another layer in place, whose gradient needs its output.
    Inplace,
    /// A function or method that nobody knows.
    Unknown,
    /// A closure, which may be called later.
    Closure,
    /// A macro, whose tokens nobody understands.
    Macro,
    /// A list that has it twice.
    List,
    /// The module itself.
    Module,
    /// The caller, who has lent it.
    Caller,
    /// A leaf of the graph.
    Leaf,
}

/// A variable: where it is declared.
pub type Variable = Site;

#[derive(Clone, Default, Debug)]
pub struct State {
    /// What the variables hold that are alive.
    pub variables: BTreeMap<Variable, Value>,
    /// Operands that are evaluated and wait for the others.
    pub waiting: Vec<Value>,
    pub holders: BTreeMap<Buffer, Holder>,
}

impl State {
    /// A new buffer.
    pub fn make(&mut self, site: Site) -> Buffer {
        let values = self.variables.values_mut().chain(&mut self.waiting);
        values.for_each(|value| value.age(site));
        let (made, former) = (
            Buffer {
                site,
                former: false,
            },
            Buffer { site, former: true },
        );
        if let Some(holder) = self.holders.remove(&made) {
            self.holders.entry(former).or_insert(holder);
        }
        made
    }

    /// Somebody holds what is in a value from now on. The first one is kept: that is who a message names.
    pub fn hold(&mut self, value: &Value, holder: &Holder) {
        for buffer in value.buffers() {
            self.holders.entry(buffer).or_insert_with(|| holder.clone());
        }
    }

    /// The variables and waiting operands that are handles of a buffer.
    pub fn sharing(&self, buffer: Buffer) -> (Vec<Variable>, bool) {
        let has = |value: &Value| value.buffers().contains(&buffer);
        let variables = self.variables.iter().filter(|(_, value)| has(value));
        let variables = variables.map(|(variable, _)| *variable).collect();
        (variables, self.waiting.iter().any(has))
    }

    /// The scopes of these variables end.
    pub fn leave(&mut self, variables: impl Iterator<Item = Variable>) {
        for variable in variables {
            self.variables.remove(&variable);
        }
    }

    /// What is so on one of two ways.
    pub fn join(mut self, other: Self) -> Self {
        for (variable, value) in other.variables {
            let here = self.variables.remove(&variable);
            let joined = match here {
                Some(here) => here.join(value),
                None => value,
            };
            self.variables.insert(variable, joined);
        }
        for (here, value) in self.waiting.iter_mut().zip(other.waiting) {
            *here = std::mem::replace(here, Value::NOTHING).join(value);
        }
        for (buffer, holder) in other.holders {
            self.holders.entry(buffer).or_insert(holder);
        }
        self
    }

    /// Whether nothing more is known than in `other`. Holders are told apart by what they hold.
    pub fn is_like(&self, other: &Self) -> bool {
        self.variables == other.variables
            && self.waiting == other.waiting
            && self.holders.keys().eq(other.holders.keys())
    }
}

/// The states of two ways, of which one or both may end before they meet.
pub fn join(one: Option<State>, other: Option<State>) -> Option<State> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.join(other)),
        (one, other) => one.or(other),
    }
}
