//! Errors are collected, so that a user sees all of them at once.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Every error of one expansion.
///
/// The only way to get one is [`Errors::collect`], which gives the errors back: they cannot be forgotten.
pub struct Errors(Option<syn::Error>);

impl Errors {
    /// Runs `f` and gives back its result, and what it reported as `compile_error!` calls (no tokens if nothing).
    pub fn collect<T>(f: impl FnOnce(&mut Self) -> T) -> (T, TokenStream) {
        let mut errors = Self(None);
        let value = f(&mut errors);
        let tokens = errors
            .0
            .map(syn::Error::into_compile_error)
            .unwrap_or_default();
        (value, tokens)
    }

    /// Reports `message` under `tokens`.
    pub fn at(&mut self, tokens: &dyn ToTokens, message: &dyn Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Reports something that was written twice: the fault is at the second place, the first one is shown.
    pub fn twice(&mut self, first: &dyn ToTokens, second: &dyn ToTokens, message: &dyn Display) {
        self.at(second, message);
        self.at(first, &"first one here");
    }

    pub fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            none => *none = Some(error),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// How many there are by now.
    pub fn len(&self) -> usize {
        self.0.iter().flatten().count()
    }
}
