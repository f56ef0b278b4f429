//! The impl of `TensorTree`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Fields, Member};

use super::{
    bounds::bounded,
    model::{Shape, Tree, Variant},
};

// Input:
//     struct Pair<T> {
//         first: T,
//         #[remat(skip)]
//         name: String,
//     }
//
// Output:
//     impl<T> ::remat::TensorTree for Pair<T> where T: ::remat::TensorTree {
//         fn visit_tensors<V: ::remat::TensorVisitor>(&self, visitor: &mut V) {
//             let Self { first, name: _ } = self;
//             ::remat::TensorTree::visit_tensors(first, visitor);
//         }
//         fn map_tensors<M: ::remat::TensorMapper>(&self, mapper: &mut M) -> Self {
//             let Self { first, name } = self;
//             Self {
//                 first: ::remat::TensorTree::map_tensors(first, mapper),
//                 name: ::core::clone::Clone::clone(name),
//             }
//         }
//     }
pub fn expand(tree: &Tree) -> TokenStream {
    let Tree { ident, krate, .. } = tree;
    let generics = bounded(tree);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, ty_generics, _) = tree.generics.split_for_impl();
    let visit = visit_method(tree);
    let map = map_method(tree);
    quote! {
        #[automatically_derived]
        impl #impl_generics #krate::TensorTree for #ident #ty_generics #where_clause {
            #visit
            #map
        }
    }
}

fn visit_method(tree: &Tree) -> TokenStream {
    let krate = &tree.krate;
    let generic = tree.fresh("V");
    let visitor = tree.fresh("visitor");
    let visit = |variant: &Variant| visit_branches(tree, variant, &visitor);
    let body = match &tree.shape {
        Shape::Struct(variant) if variant.branches.is_empty() => TokenStream::new(),
        Shape::Struct(variant) => {
            let (pattern, visits) = (visited_pattern(variant), visit(variant));
            quote!(let #pattern = self; #visits)
        }
        Shape::Enum(variants) if variants.is_empty() => quote!(match *self {}),
        Shape::Enum(variants) => {
            let patterns = variants.iter().map(visited_pattern);
            let visits = variants.iter().map(visit);
            quote!(match self { #(#patterns => { #visits })* })
        }
    };
    let visitor = parameter(tree, &visitor);
    quote! {
        fn visit_tensors<#generic: #krate::TensorVisitor>(&self, #visitor: &mut #generic) {
            #body
        }
    }
}

fn map_method(tree: &Tree) -> TokenStream {
    let krate = &tree.krate;
    let generic = tree.fresh("M");
    let mapper = tree.fresh("mapper");
    let rebuild = |variant: &Variant| rebuild_branches(tree, variant, &mapper);
    let body = match &tree.shape {
        Shape::Struct(variant) if variant.branches.is_empty() => rebuild(variant),
        Shape::Struct(variant) => {
            let (pattern, values) = (whole_pattern(variant), rebuild(variant));
            quote!(let #pattern = self; #values)
        }
        Shape::Enum(variants) if variants.is_empty() => quote!(match *self {}),
        Shape::Enum(variants) => {
            let patterns = variants.iter().map(whole_pattern);
            let values = variants.iter().map(rebuild);
            quote!(match self { #(#patterns => #values,)* })
        }
    };
    let mapper = parameter(tree, &mapper);
    quote! {
        fn map_tensors<#generic: #krate::TensorMapper>(&self, #mapper: &mut #generic) -> Self {
            #body
        }
    }
}

/// The parameter, or `_` if there is no tree to hand it to.
fn parameter(tree: &Tree, name: &Ident) -> TokenStream {
    if tree.branches().all(|branch| branch.skip) {
        quote!(_)
    } else {
        quote!(#name)
    }
}

fn visit_branches(tree: &Tree, variant: &Variant, visitor: &Ident) -> TokenStream {
    let krate = &tree.krate;
    let locals = variant
        .branches
        .iter()
        .filter(|branch| !branch.skip)
        .map(|branch| &branch.local);
    quote!(#(#krate::TensorTree::visit_tensors(#locals, #visitor);)*)
}

fn rebuild_branches(tree: &Tree, variant: &Variant, mapper: &Ident) -> TokenStream {
    let krate = &tree.krate;
    let parts = variant.branches.iter().map(|branch| {
        let local = &branch.local;
        if branch.skip {
            quote!(::core::clone::Clone::clone(#local))
        } else {
            quote!(#krate::TensorTree::map_tensors(#local, #mapper))
        }
    });
    construct(variant, parts)
}

/// The fields that are looked at, for a reference.
fn visited_pattern(variant: &Variant) -> TokenStream {
    let patterns = variant.branches.iter().map(|branch| {
        let local = &branch.local;
        if branch.skip {
            quote!(_)
        } else {
            quote!(#local)
        }
    });
    construct(variant, patterns)
}

/// All fields, for a reference.
fn whole_pattern(variant: &Variant) -> TokenStream {
    let locals = variant.branches.iter().map(|branch| {
        let local = &branch.local;
        quote!(#local)
    });
    construct(variant, locals)
}

/// `Self::Variant { member: part, .. }`: an expression or a pattern, from the parts for the fields.
fn construct(variant: &Variant, parts: impl Iterator<Item = TokenStream>) -> TokenStream {
    let variant_name = variant.ident.map(|ident| quote!(::#ident));
    let path = quote!(Self #variant_name);
    match variant.fields {
        Fields::Named(_) => {
            let fields = variant
                .fields
                .members()
                .zip(parts)
                .map(|(member, part)| field(&member, &part));
            quote!(#path { #(#fields),* })
        }
        Fields::Unnamed(_) => quote!(#path(#(#parts),*)),
        Fields::Unit => path,
    }
}

/// `member: part`, or `member` where that is the same.
fn field(member: &Member, part: &TokenStream) -> TokenStream {
    match member {
        Member::Named(name) if *name == part.to_string() => part.clone(),
        _ => quote!(#member: #part),
    }
}
