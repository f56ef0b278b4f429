//! Lists, options and the like: what is in them, and what comes out.

use proc_macro2::Span;
use syn::{Expr, ExprCall};

use super::{
    Flow,
    methods::Invocation,
    place::Place,
    state::Who,
    tensor::Hands,
    value::{Value, Variable},
};
use crate::syntax::{last_name, peel};

impl Flow<'_> {
    /// `tensors.iter()`, `maybe.unwrap()`: what is inside.
    pub fn handed_on(&mut self, call: &Invocation, hands: Hands) -> Value {
        match hands {
            Hands::One => return self.popped(call),
            Hands::All if self.place(call.receiver).is_some() => return self.emptied(call),
            _ => {}
        }
        let inside = match hands {
            // A container that is only looked at keeps it.
            Hands::Reference => self.borrowed(call.receiver),
            _ => self.expr(call.receiver),
        };
        self.wait(inside);
        let arguments = call.arguments.iter().copied();
        let mut others = self.operands(arguments.clone());
        let inside = self.go_on();
        let mut only = match &inside {
            Value::Parts(parts) if parts.len() == 1 => inside.part("0"),
            _ => inside.whole(),
        };
        for (argument, other) in arguments.zip(others.drain(..)) {
            only = match peel(argument) {
                Expr::Closure(_) => only,
                // Both are in the pairs, but only one of them is what is unwrapped.
                _ if hands == Hands::Pairs => self.listed(vec![only, other], call.place()),
                _ => only.join(other.whole()),
            };
        }
        self.reference_into(call, only)
    }

    /// `tensors.pop()`: one of the elements, which is not in there any more.
    fn popped(&mut self, call: &Invocation) -> Value {
        let place = self.place(call.receiver);
        let list = match &place {
            Some(place) => self.look(place),
            None => self.expr(call.receiver),
        };
        self.wait(list);
        self.operands(call.arguments.iter().copied());
        let list = self.go_on().whole();
        let variable = place.map(|place| place.variable);
        let is_alone = self.is_alone(&list, variable) && !self.waits_for(&list);
        if variable.is_none() {
            self.temporary(call.receiver, &list);
        }
        if is_alone {
            self.own(call.site, &list)
        } else {
            list
        }
    }

    /// `maybe.take()`: what is in there, and nothing is left.
    fn emptied(&mut self, call: &Invocation) -> Value {
        let Some(place) = self.place(call.receiver) else {
            return Value::NOTHING;
        };
        let value = self.look(&place);
        if !place.is_part {
            self.put(&place, Value::NOTHING);
        }
        match &value {
            Value::Parts(parts) if parts.len() == 1 => value.part("0"),
            _ => value.whole(),
        }
    }

    /// `tensors.push(x)`: it is in there, too.
    pub fn added(&mut self, call: &Invocation) -> Value {
        let added = self.operands(call.arguments.iter().copied());
        let receiver = match peel(call.receiver) {
            Expr::Reference(reference) => &*reference.expr,
            receiver => receiver,
        };
        if let Some(place) = self.place(receiver) {
            let list = self.look(&place);
            let all = self.listed(std::iter::once(list).chain(added).collect(), call.place());
            self.put(&place, all);
        } else {
            for value in added {
                self.assigned(receiver, &value);
            }
        }
        Value::NOTHING
    }

    /// `std::mem::swap(&mut a, &mut b)`, `replace(&mut a, b)`, `take(&mut a)`.
    pub fn of_mem(&mut self, call: &ExprCall, name: &str) -> Option<Value> {
        let behind = |flow: &Self, argument: Option<&Expr>| match peel(argument?) {
            Expr::Reference(reference) => flow.place(&reference.expr),
            _ => None,
        };
        let is_whole = |place: &Place| !place.is_part;
        let one = behind(self, call.args.first()).filter(is_whole)?;
        if name == "swap" {
            let other = behind(self, call.args.last()).filter(is_whole)?;
            let (first, second) = (self.look(&one), self.look(&other));
            self.put(&one, second);
            self.put(&other, first);
            return Some(Value::NOTHING);
        }
        let value = match call.args.iter().nth(1) {
            Some(value) => self.expr(value),
            None => Value::NOTHING,
        };
        let before = self.look(&one);
        self.put(&one, value);
        Some(before)
    }

    /// The elements of a list, which are not told apart. What is in it twice has another handle, whichever is taken out.
    pub fn listed(&mut self, values: Vec<Value>, place: Span) -> Value {
        let mut all = Value::NOTHING;
        for value in values {
            let twice = value.common(&all);
            self.hold(&twice, Who::List, "the list", place);
            all = all.join(value.whole());
        }
        all
    }

    /// An element that comes out of a list by value: a tensor of its own, unless somebody has what is in the list.
    pub fn element<T>(&mut self, list: &Value, pattern: &T) -> Value {
        if self.is_alone(list, None) {
            self.own(super::value::Site::of(pattern), list)
        } else {
            list.clone()
        }
    }

    /// Whether no variable has what is in a list, but the list itself.
    fn is_alone(&self, list: &Value, itself: Option<Variable>) -> bool {
        let Some(state) = &self.state else {
            return false;
        };
        let buffers = list.buffers();
        let (variables, _) = state.having(&buffers);
        !list.is_nothing()
            && list.leads_into().is_empty()
            && variables.iter().all(|variable| Some(*variable) == itself)
            && !buffers
                .iter()
                .any(|buffer| state.holders.contains_key(buffer))
    }

    fn waits_for(&self, value: &Value) -> bool {
        let state = self.state.as_ref();
        state.is_some_and(|state| state.having(&value.buffers()).1)
    }
}

/// What holds one tensor, and is given it: `Box::new(x)`.
pub fn is_wrapper(path: &syn::Path) -> bool {
    let mut segments = path.segments.iter().rev().skip(1);
    last_name(path) == "new"
        && segments.next().is_some_and(|segment| {
            matches!(segment.ident.to_string().as_str(), "Arc" | "Box" | "Rc")
        })
}
