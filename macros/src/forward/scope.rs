//! The names in scope and what they are bound to.

use syn::Ident;

use super::value::Value;

/// The local variables, innermost scope last. A variable that is not worth following is there too: it may hide one
/// that is, and a name that is none of them is not a variable.
pub struct Scopes(Vec<Vec<(Ident, Value)>>);

impl Scopes {
    pub fn new() -> Self {
        Self(vec![Vec::new()])
    }

    pub fn open(&mut self) {
        self.0.push(Vec::new());
    }

    pub fn close(&mut self) {
        self.0.pop();
    }

    pub fn bind(&mut self, name: Ident, value: Value) {
        if let Some(scope) = self.0.last_mut() {
            scope.push((name, value));
        }
    }

    /// How many scopes are open.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    pub fn get(&self, name: &Ident) -> Option<&Value> {
        self.find(name).map(|(_, value)| value)
    }

    /// The value of a name, and how many scopes are around the one it is bound in.
    pub fn find(&self, name: &Ident) -> Option<(usize, &Value)> {
        let newest_first = self.0.iter().enumerate().rev();
        newest_first
            .flat_map(|(depth, scope)| scope.iter().rev().map(move |binding| (depth, binding)))
            .find(|(_, (bound, _))| bound == name)
            .map(|(depth, (_, value))| (depth, value))
    }

    /// Whether the name is a local variable.
    pub fn has(&self, name: &Ident) -> bool {
        self.get(name).is_some()
    }
}
