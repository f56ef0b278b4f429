//! Patterns: which variable gets which part of a value.

use syn::{Expr, Member, Pat, PatIdent, visit::Visit};

use super::{Flow, value::Value};

impl Flow<'_> {
    /// Binds the variables of a pattern. What nothing binds is dropped.
    pub fn bind(&mut self, pattern: &Pat, value: Value) {
        match pattern {
            Pat::Ident(ident) => {
                if let Some((_, inner)) = &ident.subpat {
                    self.bind(inner, value.clone());
                }
                self.declare(&ident.ident, ident, value);
            }
            Pat::Tuple(tuple) => self.bind_elements(tuple.elems.iter(), &value),
            Pat::TupleStruct(tuple) => self.bind_elements(tuple.elems.iter(), &value),
            Pat::Slice(slice) => {
                for element in &slice.elems {
                    self.bind(element, value.whole());
                }
            }
            Pat::Struct(fields) => {
                for field in &fields.fields {
                    let value = self.own_part(&value, field);
                    let part = match &field.member {
                        Member::Named(name) => value.part(&name.to_string()),
                        Member::Unnamed(index) => value.part(&index.index.to_string()),
                    };
                    self.bind(&field.pat, part);
                }
            }
            Pat::Reference(reference) => self.bind(&reference.pat, value),
            Pat::Paren(paren) => self.bind(&paren.pat, value),
            Pat::Type(typed) => self.bind(&typed.pat, value),
            Pat::Guard(guard) => {
                self.bind(&guard.pat, value);
                self.expr(&guard.guard);
            }
            Pat::Or(or) => {
                for case in &or.cases {
                    self.bind(case, value.clone());
                }
            }
            _ => {}
        }
    }

    fn bind_elements<'p>(&mut self, elements: impl Iterator<Item = &'p Pat>, value: &Value) {
        let mut behind_rest = false;
        for (index, element) in elements.enumerate() {
            behind_rest |= matches!(element, Pat::Rest(_));
            let value = self.own_part(value, element);
            let part = if behind_rest {
                value.whole()
            } else {
                value.part(&index.to_string())
            };
            self.bind(element, part);
        }
    }

    /// What comes out of a call whose parts are not known: each part is a tensor of its own, unless somebody has it.
    fn own_part<T>(&mut self, value: &Value, pattern: &T) -> Value {
        match value {
            Value::Handles(_) => self.element(value, pattern),
            Value::Parts(_) => value.clone(),
        }
    }

    /// `(a, b) = pair`
    pub fn assigned(&mut self, left: &Expr, value: &Value) {
        match crate::syntax::peel(left) {
            Expr::Tuple(tuple) => {
                for (index, element) in tuple.elems.iter().enumerate() {
                    let part = value.part(&index.to_string());
                    match self.place(element) {
                        Some(place) => self.put(&place, part),
                        None => self.assigned(element, &part),
                    }
                }
            }
            Expr::Array(array) => {
                for element in &array.elems {
                    if let Some(place) = self.place(element) {
                        self.put(&place, value.whole());
                    }
                }
            }
            _ => {}
        }
    }
}

/// What a pattern does not take out of a value: `_` and `..` bind nothing.
pub fn left(pattern: &Pat, value: &Value) -> Value {
    let of_elements = |elements: &syn::punctuated::Punctuated<Pat, syn::Token![,]>| {
        let parts = elements.iter().enumerate();
        let parts = parts.map(|(index, element)| left(element, &value.part(&index.to_string())));
        parts.fold(Value::NOTHING, |all, part| all.join(part.whole()))
    };
    match pattern {
        Pat::Wild(_) | Pat::Rest(_) => value.whole(),
        Pat::Tuple(tuple) => of_elements(&tuple.elems),
        Pat::TupleStruct(tuple) => of_elements(&tuple.elems),
        Pat::Paren(paren) => left(&paren.pat, value),
        Pat::Type(typed) => left(&typed.pat, value),
        _ => Value::NOTHING,
    }
}

/// Whether a pattern takes something out of what it is matched with.
pub fn takes(pattern: &Pat) -> bool {
    struct Binds(bool);
    impl Visit<'_> for Binds {
        fn visit_pat_ident(&mut self, ident: &PatIdent) {
            self.0 |= ident.by_ref.is_none() && !crate::syntax::is_upper(&ident.ident);
        }
    }
    let mut binds = Binds(false);
    binds.visit_pat(pattern);
    binds.0
}
