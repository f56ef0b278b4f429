//! The body of a loop over a grouped field: it runs again in the backward pass, so it may know only what it is given.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, Ident, Member, UnOp};

use super::super::{value::Value, walk::Walk};
use crate::syntax::{as_ident, peel, show};

/// What is known about such a body while the walk is in it.
pub struct Segment {
    /// How many scopes are around the loop.
    outside: usize,
    /// Whether it calls `forward` of a layer.
    pub called: bool,
    /// What it mentions of outside, in that order.
    pub variables: Vec<Variable>,
    /// Places where a layer gets out of sight. That is no matter if the whole body is a segment.
    pub escapes: Vec<syn::Error>,
}

/// A variable of outside.
pub struct Variable {
    /// Its first mention in the body.
    pub name: Ident,
    pub kind: Kind,
    /// Whether the body assigns it.
    pub assigned: bool,
    /// Whether the body assigns it before it reads it.
    pub overwritten: bool,
    /// Where the body changes it in another way.
    changes: Vec<TokenStream>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Value,
    Reference,
    /// `self`, or a part of it.
    Module,
}

/// What an expression does to a variable.
enum Touch {
    Read,
    Assign,
    Change(TokenStream),
}

impl Segment {
    pub fn new(outside: usize) -> Self {
        Self {
            outside,
            called: false,
            variables: Vec::new(),
            escapes: Vec::new(),
        }
    }

    pub fn carried(&self) -> impl Iterator<Item = &Variable> {
        self.variables.iter().filter(|variable| variable.assigned)
    }

    pub fn shared(&self) -> impl Iterator<Item = &Variable> {
        self.variables.iter().filter(|variable| !variable.assigned)
    }

    fn touch(&mut self, name: &Ident, kind: Kind, touch: &Touch) {
        let known = self
            .variables
            .iter()
            .position(|variable| variable.name == *name);
        let index = known.unwrap_or(self.variables.len());
        if known.is_none() {
            self.variables.push(Variable {
                name: name.clone(),
                kind,
                assigned: false,
                overwritten: matches!(touch, Touch::Assign),
                changes: Vec::new(),
            });
        }
        let variable = &mut self.variables[index];
        match touch {
            Touch::Read => {}
            Touch::Assign => variable.assigned = true,
            Touch::Change(tokens) => variable.changes.push(tokens.clone()),
        }
    }
}

impl Kind {
    fn of(value: &Value) -> Self {
        match value {
            Value::Borrowed => Self::Reference,
            Value::Whole { .. } => Self::Module,
            value if !value.layers().is_empty() => Self::Module,
            // Also what came out of a layer, `self.layers.len()`: rustc knows whether it is a value.
            _ => Self::Value,
        }
    }
}

impl Walk<'_> {
    /// A name that stands for its value.
    pub fn read(&mut self, name: &Ident) {
        self.touch(name, &Touch::Read);
    }

    /// `name = ..`
    pub fn assigned(&mut self, name: &Ident) {
        self.touch(name, &Touch::Assign);
    }

    /// `&mut place`, `place.push(..)`, `place.field = ..`, with the tokens to show.
    pub fn changed(&mut self, place: &Expr, tokens: &dyn ToTokens) {
        if let Some(name) = root(place) {
            let name = name.clone();
            self.touch(&name, &Touch::Change(tokens.to_token_stream()));
        }
    }

    fn touch(&mut self, name: &Ident, touch: &Touch) {
        let Some((depth, value)) = self.scopes.find(name) else {
            return;
        };
        let kind = Kind::of(value);
        for segment in &mut self.segments {
            if depth < segment.outside {
                segment.touch(name, kind, touch);
            }
        }
    }

    /// Reports what would mean something else in a segment than in a loop.
    pub fn check_segment(&mut self, segment: &Segment, row: usize) {
        for variable in &segment.variables {
            if variable.kind == Kind::Module {
                self.module_in_segment(&variable.name, row);
            } else if !variable.assigned {
                for change in &variable.changes {
                    self.change_in_segment(&variable.name, change);
                }
            }
        }
    }

    fn module_in_segment(&mut self, name: &Ident, row: usize) {
        let field = self.field_name(row);
        self.errors.at(
            name,
            &format_args!(
                "`{name}` is not there when the layers of `{field}` run again in the backward pass: only the layer \
                 itself and local variables are\n\nhelp: bind what the body needs in front of the loop, or move it \
                 into the layer"
            ),
        );
    }

    fn change_in_segment(&mut self, name: &Ident, change: &TokenStream) {
        self.errors.at(
            change,
            &format_args!(
                "this changes `{name}` in place, and the change would be lost: only variables that the body assigns \
                 as a whole are carried from layer to layer\n\nhelp: assign it, `{name} = ..`, or change it outside \
                 of the loop"
            ),
        );
    }

    /// `self.layers`, as a user would say it.
    pub fn field_name(&self, row: usize) -> String {
        let field: &Member = &self.table.rows[row].member;
        show(&quote!(self.#field))
    }
}

/// The variable in `v`, `v[i].field` or `*v`.
fn root(place: &Expr) -> Option<&Ident> {
    match peel(place) {
        Expr::Field(field) => root(&field.base),
        Expr::Index(index) => root(&index.expr),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => root(&unary.expr),
        place => as_ident(place),
    }
}

/// Methods that change what they are called on, whatever it is. Others are for rustc to find: the variable
/// in the closure is not `mut`.
pub fn is_change(method: &str) -> bool {
    matches!(
        method,
        "push"
            | "push_back"
            | "push_front"
            | "push_str"
            | "insert"
            | "extend"
            | "extend_from_slice"
            | "append"
            | "remove"
            | "swap_remove"
            | "pop"
            | "clear"
            | "truncate"
            | "drain"
            | "retain"
            | "iter_mut"
            | "get_mut"
            | "as_mut"
            | "inplace"
    )
}
