//! What is known at a point of a method: who holds which buffer.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;
use syn::Member;

use super::value::{Buffer, Site, Value, Variable, age};

/// Somebody who holds a buffer for good, as far as the method can tell.
#[derive(Clone)]
pub struct Holder {
    pub who: Who,
    /// The words of the user's that say so.
    pub text: String,
    pub place: Span,
    /// The field whose layers have to keep their output for it to be so, which only rustc knows. Of none, it is so.
    pub only_if: Option<Member>,
}

impl Holder {
    /// The holder that says more: the first one, unless only the other is certain.
    fn or(self, other: &Self) -> Self {
        if self.only_if.is_some() && other.only_if.is_none() {
            other.clone()
        } else {
            self
        }
    }
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
    /// An `async` block, which may run later.
    Future,
    /// A macro, whose tokens nobody understands.
    Macro,
    /// A list that has it twice.
    List,
    /// An operation that gives several views of it.
    Pieces,
    /// Somewhere that a reference leads to.
    Elsewhere,
    /// The module itself.
    Module,
    /// The caller, who has lent it.
    Caller,
    /// A leaf of the graph.
    Leaf,
}

#[derive(Clone, Default)]
pub struct State {
    /// What the variables hold that are alive.
    pub variables: BTreeMap<Variable, Value>,
    /// Operands that are evaluated and wait for the others.
    pub waiting: Vec<Value>,
    pub holders: BTreeMap<Buffer, Holder>,
    /// What a call gave that nobody knows, and what it may have been given for it: it may be one of those.
    pub sources: BTreeMap<Buffer, BTreeSet<Buffer>>,
}

impl State {
    /// A new buffer.
    pub fn make(&mut self, site: Site) -> Buffer {
        let values = self.variables.values_mut().chain(&mut self.waiting);
        values.for_each(|value| value.age(site));
        let (made, former) = (Buffer::last(site), Buffer::former(site));
        if let Some(holder) = self.holders.remove(&made) {
            self.held(former, &holder);
        }
        if let Some(sources) = self.sources.remove(&made) {
            self.sources.entry(former).or_default().extend(sources);
        }
        self.sources
            .values_mut()
            .for_each(|sources| age(sources, site));
        made
    }

    /// What was made may be one of those in a value, or one of what those may be.
    pub fn may_be(&mut self, made: &Value, value: &Value) {
        let buffers = value.buffers().into_iter();
        let all = buffers.flat_map(|one| self.all_that_it_may_be(one));
        let all: BTreeSet<Buffer> = all.collect();
        for buffer in made.buffers() {
            self.sources.entry(buffer).or_default().extend(&all);
        }
    }

    /// What was made is one of those in a value, which nobody else has.
    pub fn is_one_of(&mut self, made: &Value, value: &Value) {
        let sources = value
            .buffers()
            .into_iter()
            .filter_map(|one| self.sources.get(&one));
        let all: BTreeSet<Buffer> = sources.flatten().copied().collect();
        for buffer in made.buffers() {
            self.sources.entry(buffer).or_default().extend(&all);
        }
    }

    fn all_that_it_may_be(&self, buffer: Buffer) -> BTreeSet<Buffer> {
        let mut all = self.sources.get(&buffer).cloned().unwrap_or_default();
        all.insert(buffer);
        all
    }

    /// Somebody holds what is in a value from now on. The first one is kept: that is who a message names.
    pub fn hold(&mut self, value: &Value, holder: &Holder) {
        let buffers = value.buffers();
        let of_them = |(_, sources): &(&Buffer, &BTreeSet<Buffer>)| !sources.is_disjoint(&buffers);
        let others = self.sources.iter().filter(of_them).map(|(other, _)| *other);
        let all: Vec<Buffer> = buffers.iter().copied().chain(others).collect();
        for buffer in all {
            self.held(buffer, holder);
        }
    }

    fn held(&mut self, buffer: Buffer, holder: &Holder) {
        let first = match self.holders.remove(&buffer) {
            Some(first) => first.or(holder),
            None => holder.clone(),
        };
        self.holders.insert(buffer, first);
    }

    /// The variables and waiting operands that are handles of a buffer, or of what it may be.
    pub fn sharing(&self, buffer: Buffer) -> (Vec<Variable>, bool) {
        self.having(&self.all_that_it_may_be(buffer))
    }

    /// The variables that are handles of one of these buffers, and whether waiting operands are.
    pub fn having(&self, buffers: &BTreeSet<Buffer>) -> (Vec<Variable>, bool) {
        let has = |value: &Value| !value.buffers().is_disjoint(buffers);
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

    /// What matters where the way meets another one. Who holds what nobody can reach here is forgotten: whoever has it behind
    /// that place has come the other way, on which it may be held by nobody.
    fn arriving_with(mut self, given: &Value) -> Self {
        let values = self.variables.values().chain(&self.waiting);
        let buffers = values.chain([given]).flat_map(Value::buffers);
        let reached = buffers.flat_map(|buffer| self.all_that_it_may_be(buffer));
        let reached: BTreeSet<Buffer> = reached.collect();
        self.holders.retain(|buffer, _| reached.contains(buffer));
        self
    }

    /// What is so on one of two ways.
    fn join(mut self, other: Self) -> Self {
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
            self.held(buffer, &holder);
        }
        for (buffer, sources) in other.sources {
            self.sources.entry(buffer).or_default().extend(sources);
        }
        self
    }

    /// Whether nothing more is known than in `other`. Holders are told apart by what they hold, and if it is certain.
    pub fn is_like(&self, other: &Self) -> bool {
        let held = |(buffer, holder): (&Buffer, &Holder)| (*buffer, holder.only_if.is_none());
        self.variables == other.variables
            && self.waiting == other.waiting
            && self.sources == other.sources
            && self
                .holders
                .iter()
                .map(held)
                .eq(other.holders.iter().map(held))
    }
}

/// A way through the code: the state in which it ends, unless it does not end here, and the value that it gives.
pub type Way<'a> = (Option<State>, &'a Value);

/// The states of two ways that meet.
pub fn join(one: Way, other: Way) -> Option<State> {
    let arriving = |(state, given): Way| Some(state?.arriving_with(given));
    match (arriving(one), arriving(other)) {
        (Some(one), Some(other)) => Some(one.join(other)),
        (one, other) => one.or(other),
    }
}
