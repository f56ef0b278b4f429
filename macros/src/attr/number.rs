//! Options that are numbers: `every = 4`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, Lit, Path, parse::Parse};

use super::assigned;
use crate::{
    error::Errors,
    syntax::{peel, show},
};

/// An option that is a number.
pub struct Number {
    /// An attribute with it.
    pub usage: &'static str,
    /// What to write, for help.
    pub kind: &'static str,
    /// What is wrong with a literal: with the integer, or with one that is none.
    pub fault: fn(Option<u128>) -> Option<&'static str>,
}

impl Number {
    /// The expression behind `key =`. Whether it is a number that makes sense, its constant says, unless it is plain.
    pub fn read(&self, key: &Path, value: &TokenStream, errors: &mut Errors) -> Option<Expr> {
        let usage = self.usage;
        let Ok(number) = assigned(value, Expr::parse) else {
            let name = show(key);
            errors.at(
                &quote!(#key #value),
                &format_args!("`{name}` takes a number\n\nhelp: write `{usage}`"),
            );
            return None;
        };
        let Some(fault) = self.fault(&number) else {
            return Some(number);
        };
        let kind = self.kind;
        errors.at(
            &number,
            &format_args!("{fault}\n\nhelp: write {kind}, as in `{usage}`"),
        );
        None
    }

    fn fault(&self, number: &Expr) -> Option<&'static str> {
        let Expr::Lit(literal) = peel(number) else {
            return None;
        };
        (self.fault)(match &literal.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        })
    }
}
