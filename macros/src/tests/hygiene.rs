//! What holds for every expansion: the names in it are the user's, or absolute, or local to the generated code.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    File, ItemUse, Path,
    visit::{self, Visit},
};

pub fn check(source: &str, file: &File) {
    let mut theirs: BTreeSet<String> = LOCALS.iter().map(ToString::to_string).collect();
    collect(super::parse(source), &mut theirs);
    let mut hygiene = Hygiene { theirs };
    hygiene.visit_file(file);
}

/// The names that an expansion may use beside the user's: primitive names, and locals with `Span::mixed_site()`.
const LOCALS: &[&str] = &[
    "Self",
    "self",
    "layer",
    "x",
    "input",
    "field",
    "V",
    "M",
    "visitor",
    "mapper",
    "doc",
    "allow",
    "automatically_derived",
    "macro_rules",
    "crate",
    "Block",
];

struct Hygiene {
    theirs: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Hygiene {
    fn visit_path(&mut self, path: &'ast Path) {
        let first = path.segments[0].ident.to_string();
        // `input_1` is as local as `input`.
        let base = first.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
        let absolute = path.leading_colon.is_some()
            || self.theirs.contains(&first)
            || self.theirs.contains(base)
            || first.ends_with("_with_derive_Remat");
        assert!(
            absolute,
            "`{first}` in an expansion means something else to each user"
        );
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let text = quote::quote!(#item).to_string();
        assert!(
            text.contains("_with_derive_Remat"),
            "`{text}` would be seen by the user's code"
        );
    }
}

fn collect(tokens: TokenStream, names: &mut BTreeSet<String>) {
    for tree in tokens {
        match tree {
            TokenTree::Ident(ident) => {
                names.insert(ident.to_string());
            }
            TokenTree::Group(group) => collect(group.stream(), names),
            _ => {}
        }
    }
}
