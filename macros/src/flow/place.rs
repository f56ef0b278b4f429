//! Places: variables and their fields, which are moved out of or looked at.

use std::collections::BTreeSet;

use proc_macro2::Span;
use syn::{Expr, Member, UnOp};

use super::{
    Flow,
    state::Who,
    value::{Value, Variable},
};
use crate::syntax::{as_ident, peel};

/// `x`, `state.hidden`, `pair.0`
pub struct Place {
    pub variable: Variable,
    fields: Vec<String>,
    /// Whether it is only one of the things there: an element of a list.
    pub is_part: bool,
    /// Whether it is where a reference leads: `*x`.
    is_behind: bool,
    pub span: Span,
}

impl Flow<'_> {
    /// The place that an expression is, if it is one of a local variable.
    pub fn place(&self, expr: &Expr) -> Option<Place> {
        if let Some(name) = as_ident(expr) {
            let variable = self.scopes.find(name)?;
            return Some(Place {
                variable,
                fields: Vec::new(),
                is_part: false,
                is_behind: false,
                span: name.span(),
            });
        }
        match peel(expr) {
            Expr::Field(field) => {
                let mut place = self.place(&field.base)?;
                place.fields.push(match &field.member {
                    Member::Named(name) => name.to_string(),
                    Member::Unnamed(index) => index.index.to_string(),
                });
                Some(place)
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => Some(Place {
                is_behind: true,
                ..self.place(&unary.expr)?
            }),
            Expr::Index(index) => Some(Place {
                is_part: true,
                ..self.place(&index.expr)?
            }),
            _ => None,
        }
    }

    /// What is there, which stays there.
    pub fn look(&self, place: &Place) -> Value {
        let value = self.state.as_ref();
        let value = value.and_then(|state| state.variables.get(&place.variable));
        let value = value.cloned().unwrap_or(Value::NOTHING);
        let fields = place.fields.iter();
        fields.fold(value, |value, field| value.part(field))
    }

    /// What is there, which is handed over. Out of what is not known by its parts, nothing is seen to go.
    pub fn take(&mut self, place: &Place) -> Value {
        let value = self.look(place);
        self.write(place, Value::NOTHING, false);
        value
    }

    /// Puts something else there, in place of what was there.
    pub fn put(&mut self, place: &Place, value: Value) {
        let into = self.led_to_by(place.variable);
        self.write_into(&into, &value);
        if place.is_behind && into.is_empty() {
            self.hold(&value, Who::Elsewhere, "", place.span);
        }
        let value = if place.is_part {
            self.listed(vec![self.look(place), value], place.span)
        } else {
            value
        };
        self.write(place, value, true);
        // The reference leads where it has led.
        if !into.is_empty()
            && let Some(state) = &mut self.state
            && let Some(variable) = state.variables.get_mut(&place.variable)
        {
            *variable = variable.leading_into(into);
        }
    }

    /// The variables that a variable is a mutable reference into.
    fn led_to_by(&self, variable: Variable) -> BTreeSet<Variable> {
        let variables = self.state.as_ref().map(|state| &state.variables);
        let value = variables.and_then(|variables| variables.get(&variable));
        value.map(Value::leads_into).unwrap_or_default()
    }

    /// What is written through a mutable reference may be in each variable that it leads into.
    pub fn write_into(&mut self, into: &BTreeSet<Variable>, value: &Value) {
        for variable in into {
            let variables = self.state.as_mut().map(|state| &mut state.variables);
            if let Some(there) = variables.and_then(|variables| variables.get_mut(variable)) {
                *there = there.whole().join(value.whole());
            }
        }
    }

    fn write(&mut self, place: &Place, value: Value, adding: bool) {
        let Some(state) = &mut self.state else { return };
        let Some(variable) = state.variables.get_mut(&place.variable) else {
            if place.fields.is_empty() {
                state.variables.insert(place.variable, value);
            }
            return;
        };
        let mut target = variable;
        for field in &place.fields {
            let whole = target.whole();
            target = match target.part_mut(field) {
                Some(part) => part,
                // One of the things in there: the others stay.
                None if adding => {
                    let joined = whole.join(value.whole());
                    state.variables.insert(place.variable, joined);
                    return;
                }
                None => return,
            };
        }
        *target = value;
    }
}
