//! Which variable a name is.

use std::collections::BTreeMap;

use proc_macro2::Span;
use syn::{Ident, ext::IdentExt};

use super::{
    Flow,
    state::Variable,
    value::{Site, Value},
};

#[derive(Default)]
pub struct Scopes {
    /// From the outermost to the innermost.
    scopes: Vec<Vec<(String, Variable)>>,
    declarations: BTreeMap<Variable, Declaration>,
}

/// Where a variable comes from, for messages.
#[derive(Clone)]
pub struct Declaration {
    pub name: String,
    pub place: Span,
}

impl Scopes {
    pub fn find(&self, name: &Ident) -> Option<Variable> {
        let name = name.unraw().to_string();
        let declared = self
            .scopes
            .iter()
            .rev()
            .flat_map(|scope| scope.iter().rev());
        let mut found = declared.filter(|(declared, _)| *declared == name);
        found.next().map(|(_, variable)| *variable)
    }

    pub fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// The variables of the scopes that are deeper than this.
    pub fn inside(&self, depth: usize) -> impl Iterator<Item = Variable> {
        let inside = self.scopes.iter().skip(depth).flatten();
        inside.map(|(_, variable)| *variable)
    }

    pub fn declaration(&self, variable: Variable) -> Option<&Declaration> {
        self.declarations.get(&variable)
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
        match self.scopes.scopes.last_mut() {
            Some(scope) => scope.push((name_text, variable)),
            None => self.scopes.scopes.push(vec![(name_text, variable)]),
        }
        if let Some(state) = &mut self.state {
            state.variables.insert(variable, value);
        }
    }

    /// Runs `f` with a scope of its own: what is declared in it is dropped at its end, and not before, whether or not
    /// somebody has taken over its name.
    pub fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.scopes.push(Vec::new());
        let result = f(self);
        for (_, variable) in self.scopes.scopes.pop().into_iter().flatten() {
            if let Some(state) = &mut self.state {
                state.variables.remove(&variable);
            }
        }
        result
    }
}
