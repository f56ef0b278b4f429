//! Which variable a name is.

use std::collections::BTreeMap;

use proc_macro2::Span;
use syn::{Expr, Ident, ext::IdentExt};

use super::{
    Flow,
    value::{Site, Value, Variable},
};

#[derive(Default)]
pub struct Scopes {
    /// From the outermost to the innermost.
    open: Vec<Vec<(String, Variable)>>,
    declarations: BTreeMap<Variable, Declaration>,
    /// What has no name, and is there until its statement ends.
    temporaries: Vec<Variable>,
}

/// What there is around an expression.
#[derive(Clone, Copy)]
pub struct Depth {
    scopes: usize,
    temporaries: usize,
}

/// Where a variable comes from, for messages.
#[derive(Clone)]
pub struct Declaration {
    pub name: String,
    pub place: Span,
}

impl Scopes {
    pub fn find(&self, name: &Ident) -> Option<Variable> {
        self.find_named(&name.unraw().to_string())
    }

    fn find_named(&self, name: &str) -> Option<Variable> {
        let declared = self.open.iter().rev().flat_map(|scope| scope.iter().rev());
        let mut found = declared.filter(|(declared, _)| *declared == name);
        found.next().map(|(_, variable)| *variable)
    }

    pub fn depth(&self) -> Depth {
        Depth {
            scopes: self.open.len(),
            temporaries: self.temporaries.len(),
        }
    }

    /// The variables of the scopes that are deeper than this, and the temporaries that are there since.
    pub fn inside(&self, depth: Depth) -> impl Iterator<Item = Variable> {
        let inside = self.open.iter().skip(depth.scopes).flatten();
        let temporaries = self.temporaries.iter().skip(depth.temporaries);
        inside
            .map(|(_, variable)| variable)
            .chain(temporaries)
            .copied()
    }

    /// Where a variable comes from, if it has a name, and whether another one has taken that over.
    pub fn declaration(&self, variable: Variable) -> Option<(&Declaration, bool)> {
        let declaration = self.declarations.get(&variable)?;
        let is_shadowed = self.find_named(&declaration.name) != Some(variable);
        Some((declaration, is_shadowed))
    }
}

impl Flow<'_> {
    pub fn declare<T>(&mut self, name: &Ident, syntax: &T, value: Value) {
        let variable = Site::of(syntax);
        let name_text = name.unraw().to_string();
        let declaration = Declaration {
            name: name_text.clone(),
            place: name.span(),
        };
        self.scopes.declarations.insert(variable, declaration);
        match self.scopes.open.last_mut() {
            Some(scope) => scope.push((name_text, variable)),
            None => self.scopes.open.push(vec![(name_text, variable)]),
        }
        if let Some(state) = &mut self.state {
            state.variables.insert(variable, value);
        }
    }

    /// Runs `f` with a scope of its own: what is declared in it is dropped at its end, and not before, whether or not
    /// somebody has taken over its name.
    pub fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.open.push(Vec::new());
        let result = f(self);
        for (_, variable) in self.scopes.open.pop().into_iter().flatten() {
            if let Some(state) = &mut self.state {
                state.variables.remove(&variable);
            }
        }
        result
    }

    /// Something without a name, which is dropped at the end of its statement.
    pub fn temporary(&mut self, syntax: &Expr, value: &Value) {
        let variable = Site::of(syntax);
        if let Some(state) = &mut self.state
            && !value.is_nothing()
        {
            state.variables.insert(variable, value.clone());
            self.scopes.temporaries.push(variable);
        }
    }

    /// Runs `f` as a statement: its temporaries are dropped when it ends.
    pub fn statement<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let count = self.scopes.temporaries.len();
        let result = f(self);
        let ended = self.scopes.temporaries.split_off(count);
        if let Some(state) = &mut self.state {
            state.leave(ended.into_iter());
        }
        result
    }
}
