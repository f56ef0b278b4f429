//! Where in a module a visitor is.

/// The path to what is visited, with the types on the way.
#[derive(Default)]
pub(crate) struct Place(Vec<Field>);

struct Field {
    name: String,
    /// What it is a field of: `Struct:LayerNorm`.
    container: String,
}

impl Place {
    pub(crate) fn enter(&mut self, name: &str, container: &str) {
        self.0.push(Field {
            name: name.to_owned(),
            container: container.to_owned(),
        });
    }

    pub(crate) fn exit(&mut self) {
        self.0.pop();
    }

    /// `blocks.0.norm.gamma`
    pub(crate) fn name(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|field| field.name.as_str()).collect();
        names.join(".")
    }

    /// The first of the types that this is inside of.
    pub(crate) fn inside<'a>(&self, types: &[&'a str]) -> Option<&'a str> {
        let mut containers = self.0.iter().map(|field| &field.container);
        containers.find_map(|container| {
            let name = container.strip_prefix("Struct:")?;
            types.iter().copied().find(|ty| *ty == name)
        })
    }
}
