//! The bounds of a generic type: its fields must be trees.

use std::collections::BTreeSet;

use quote::{ToTokens, quote};
use syn::{
    GenericParam, Generics, Ident, Path, Type, WherePredicate,
    visit::{self, Visit},
};

use super::model::Tree;

/// The generics with `Field: TensorTree` for the type of every field that mentions a type parameter.
///
/// A bound on the parameter instead (as std's derives have) would be wrong in both directions: a `PhantomData<T>` is
/// a tree whatever `T` is, and a `Pair<T>` may be none although `T` is one.
pub fn bounded(tree: &Tree) -> Generics {
    let krate = &tree.krate;
    let mut seen = BTreeSet::new();
    let mut generics = tree.generics.clone();
    for branch in tree.branches().filter(|branch| !branch.skip) {
        for ty in bounded_types(tree, &branch.original.ty) {
            if seen.insert(ty.to_string()) {
                add(&mut generics, quote!(#ty: #krate::TensorTree));
            }
        }
    }
    generics
}

fn add(generics: &mut Generics, predicate: proc_macro2::TokenStream) {
    if let Ok(predicate) = syn::parse2::<WherePredicate>(predicate) {
        generics.make_where_clause().predicates.push(predicate);
    }
}

/// What to bound for a field of this type: the type, or its parameters if the type is recursive (rustc does not find
/// an end to a bound that needs itself), or nothing.
fn bounded_types(tree: &Tree, ty: &Type) -> Vec<proc_macro2::TokenStream> {
    let mut mentions = Mentions {
        tree,
        parameters: Vec::new(),
        recursive: false,
    };
    mentions.visit_type(ty);
    match mentions.parameters.as_slice() {
        [] => Vec::new(),
        _ if !mentions.recursive => vec![ty.to_token_stream()],
        parameters => parameters.iter().map(ToTokens::to_token_stream).collect(),
    }
}

/// The type parameters in a type, and whether the type contains the one that is derived for.
struct Mentions<'a> {
    tree: &'a Tree<'a>,
    parameters: Vec<Ident>,
    recursive: bool,
}

impl<'ast> Visit<'ast> for Mentions<'_> {
    fn visit_path(&mut self, path: &'ast Path) {
        if let Some(first) = path
            .segments
            .first()
            .filter(|_| path.leading_colon.is_none())
        {
            let is_parameter = |param: &GenericParam| matches!(param, GenericParam::Type(t) if t.ident == first.ident);
            if self.tree.generics.params.iter().any(is_parameter) {
                self.parameters.push(first.ident.clone());
            }
            self.recursive |= path.is_ident("Self") || first.ident == *self.tree.ident;
        }
        visit::visit_path(self, path);
    }
}
