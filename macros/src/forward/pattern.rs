//! Patterns: which name gets which part of a value.

use quote::ToTokens;
use syn::{
    Ident, Index, Pat, PatIdent, PatStruct, PatTupleStruct, Token, ext::IdentExt,
    punctuated::Punctuated,
};

use super::{value::Value, walk::Walk};
use crate::syntax::is_upper;

impl Walk<'_> {
    /// Binds the names in a pattern. In a `refutable` one, an upper-case name is a constant or a variant.
    pub fn bind(&mut self, pat: &mut Pat, value: Value, refutable: bool) {
        match pat {
            Pat::Ident(name) => self.bind_name(name, value, refutable),
            Pat::Tuple(tuple) => {
                let values = spread(&tuple.elems, value);
                self.bind_all(&mut tuple.elems, values, refutable);
            }
            Pat::TupleStruct(tuple) => self.bind_tuple_struct(tuple, value, refutable),
            Pat::Struct(fields) => self.bind_struct(fields, &value, refutable),
            Pat::Slice(slice) => {
                for element in &mut slice.elems {
                    self.bind(element, value.clone().item(), refutable);
                }
            }
            Pat::Or(alternatives) => {
                for alternative in &mut alternatives.cases {
                    self.bind(alternative, value.clone(), refutable);
                }
            }
            Pat::Reference(reference) => {
                self.bind(&mut reference.pat, value.dereferenced(), refutable);
            }
            Pat::Paren(paren) => self.bind(&mut paren.pat, value, refutable),
            Pat::Type(typed) => self.bind(&mut typed.pat, value, refutable),
            Pat::Guard(guard) => {
                self.bind(&mut guard.pat, value, refutable);
                self.expr(&mut guard.guard);
            }
            _ => {}
        }
    }

    fn bind_name(&mut self, name: &mut PatIdent, value: Value, refutable: bool) {
        let constant =
            refutable && name.subpat.is_none() && is_upper(&name.ident) && is_long(&name.ident);
        if constant {
            return;
        }
        if let Some((_, pat)) = &mut name.subpat {
            self.bind(pat, value.clone(), refutable);
        }
        let value = if name.by_ref.is_some() {
            value.borrowed()
        } else {
            value
        };
        self.scopes.bind(name.ident.clone(), value);
    }

    fn bind_all(
        &mut self,
        pats: &mut Punctuated<Pat, Token![,]>,
        values: Vec<Value>,
        refutable: bool,
    ) {
        for (pat, value) in pats.iter_mut().zip(values) {
            self.bind(pat, value, refutable);
        }
    }

    /// `Some(layer)`, `Self(first, ..)`
    fn bind_tuple_struct(&mut self, tuple: &mut PatTupleStruct, value: Value, refutable: bool) {
        let Value::Whole { depth } = value else {
            let value = value.item();
            let values = vec![value; tuple.elems.len()];
            return self.bind_all(&mut tuple.elems, values, refutable);
        };
        let mut counted = true;
        for (index, pat) in tuple.elems.iter_mut().enumerate() {
            if let Pat::Rest(_) = pat {
                counted = false;
            } else if counted {
                let value =
                    self.field_of_whole(&Index::from(index).into(), depth, pat.to_token_stream());
                self.bind(pat, value, refutable);
            } else {
                self.bind_uncounted(pat, refutable);
            }
        }
    }

    /// A field of the struct behind a `..`: only rustc knows which one.
    fn bind_uncounted(&mut self, pat: &mut Pat, refutable: bool) {
        if !matches!(pat, Pat::Wild(_)) {
            self.errors.at(
                pat,
                &"remat cannot count the fields behind `..`, and so cannot tell whether this one is annotated\
                  \n\nhelp: name the field by its number: `let Self { 3: last, .. } = self`",
            );
        }
        self.bind(pat, Value::Other, refutable);
    }

    /// `Self { attention, .. }`
    fn bind_struct(&mut self, fields: &mut PatStruct, value: &Value, refutable: bool) {
        for field in &mut fields.fields {
            let value = match value {
                Value::Whole { depth } => {
                    self.field_of_whole(&field.member, *depth, field.pat.to_token_stream())
                }
                Value::Layer(_) | Value::Derived(_) => value.clone(),
                _ => Value::Other,
            };
            self.bind(&mut field.pat, value, refutable);
        }
    }
}

/// The values of a tuple for the patterns of its elements, of which one may be `..`.
fn spread(pats: &Punctuated<Pat, Token![,]>, value: Value) -> Vec<Value> {
    let elements = match value {
        Value::Tuple(elements) => elements,
        // A layer that is a tuple of layers.
        Value::Layer(_) | Value::Derived(_) => return vec![value; pats.len()],
        _ => return vec![Value::Other; pats.len()],
    };
    let rest = pats.iter().position(|pat| matches!(pat, Pat::Rest(_)));
    let skipped = (elements.len() + 1).saturating_sub(pats.len());
    let element = |index: usize| elements.get(index).cloned().unwrap_or(Value::Other);
    (0..pats.len())
        .map(|index| match rest {
            Some(rest) if index == rest => Value::Other,
            Some(rest) if index > rest => element(index + skipped - 1),
            _ => element(index),
        })
        .collect()
}

/// `X` may be a variable of someone who writes mathematics; `None` is not.
fn is_long(name: &Ident) -> bool {
    name.unraw().to_string().chars().count() > 1
}
