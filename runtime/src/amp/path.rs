//! Where in a module a visitor is.

/// The path to the parameter that is visited, as in burn's records.
#[derive(Debug, Default)]
pub(super) struct Path(Vec<String>);

impl Path {
    pub(super) fn enter(&mut self, name: &str) {
        self.0.push(name.to_owned());
    }

    pub(super) fn exit(&mut self) {
        self.0.pop();
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.join("."))
    }
}
