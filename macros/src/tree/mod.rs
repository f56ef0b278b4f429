//! `#[derive(TensorTree)]`.

mod bounds;
mod expand;
mod model;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::error::Errors;

pub fn derive(input: &DeriveInput) -> TokenStream {
    let (tree, errors) = Errors::collect(|errors| model::Tree::from_input(input, errors));
    let expansion = tree.as_ref().map(expand::expand);
    quote!(#expansion #errors)
}
