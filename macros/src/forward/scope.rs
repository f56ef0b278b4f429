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

    pub fn get(&self, name: &Ident) -> Option<&Value> {
        let newest_first = self.0.iter().rev().flat_map(|scope| scope.iter().rev());
        newest_first
            .filter(|(bound, _)| bound == name)
            .map(|(_, value)| value)
            .next()
    }

    /// Whether the name is a local variable.
    pub fn has(&self, name: &Ident) -> bool {
        self.get(name).is_some()
    }
}
