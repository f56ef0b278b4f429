//! Patterns: which variable gets which part of a value.

use syn::{
    Expr, Member, Pat, PatIdent, PatStruct, Token, punctuated::Punctuated, spanned::Spanned,
    visit::Visit,
};

use super::{
    Flow, calls::is_constructor, expr::join_all, is_number, place::Place, state::Who, value::Value,
};
use crate::syntax::peel;

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
            Pat::Type(typed) if is_number(&typed.ty) => self.bind(&typed.pat, Value::NOTHING),
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

    /// Binds a pattern to what is in a place, which keeps what the pattern does not take.
    pub fn bind_place(&mut self, pattern: &Pat, place: &Place) {
        let value = self.look(place);
        let is_lent = self.lent_by(&value).is_some();
        if !is_lent && !place.is_part {
            self.put(place, left(pattern, &value));
        }
        if is_mutable_reference(pattern) {
            self.bind(pattern, value.leading_into([place.variable]));
        } else {
            self.bind(pattern, value);
        }
    }

    /// `(a, b) = pair`
    pub fn assigned(&mut self, left: &Expr, value: &Value) {
        if let Some(place) = self.place(left) {
            return self.put(&place, value.clone());
        }
        match peel(left) {
            Expr::Infer(_) | Expr::Range(_) => {}
            Expr::Tuple(tuple) => {
                let mut behind_rest = false;
                for (index, element) in tuple.elems.iter().enumerate() {
                    behind_rest |= matches!(element, Expr::Range(_));
                    let part = if behind_rest {
                        value.whole()
                    } else {
                        value.part(&index.to_string())
                    };
                    self.assigned(element, &part);
                }
            }
            Expr::Array(array) => self.assigned_to_each(array.elems.iter(), value),
            Expr::Call(call) if is_constructor(call) => {
                self.assigned_to_each(call.args.iter(), value);
            }
            Expr::Struct(literal) => {
                let fields = literal.fields.iter().map(|field| &field.expr);
                self.assigned_to_each(fields, value);
            }
            // A reference, which leads into what is known or not.
            other => {
                let into = self.borrowed(other).leads_into();
                self.write_into(&into, value);
                if into.is_empty() {
                    self.hold(value, Who::Elsewhere, "", left.span());
                }
            }
        }
    }

    fn assigned_to_each<'e>(&mut self, parts: impl Iterator<Item = &'e Expr>, value: &Value) {
        for part in parts {
            self.assigned(part, &value.whole());
        }
    }
}

/// What a pattern does not take out of a value.
pub fn left(pattern: &Pat, value: &Value) -> Value {
    match pattern {
        Pat::Tuple(tuple) => left_by_elements(&tuple.elems, value),
        Pat::TupleStruct(tuple) => left_by_elements(&tuple.elems, value),
        Pat::Struct(fields) => left_by_fields(fields, value),
        Pat::Slice(slice) => join_all(slice.elems.iter().map(|element| left(element, value))),
        Pat::Or(or) => join_all(or.cases.iter().map(|case| left(case, value))),
        Pat::Paren(paren) => left(&paren.pat, value),
        Pat::Type(typed) => left(&typed.pat, value),
        Pat::Guard(guard) => left(&guard.pat, value),
        // `None`
        Pat::Ident(ident) if crate::syntax::is_upper(&ident.ident) => value.whole(),
        Pat::Ident(ident) if ident.by_ref.is_none() => Value::NOTHING,
        // They bind nothing.
        _ => value.whole(),
    }
}

fn left_by_elements(elements: &Punctuated<Pat, Token![,]>, value: &Value) -> Value {
    let rest = elements
        .iter()
        .position(|element| matches!(element, Pat::Rest(_)));
    let parts = elements.iter().enumerate().map(|(index, element)| {
        let is_known = rest.is_none_or(|rest| index < rest);
        let part = if is_known {
            value.part(&index.to_string())
        } else {
            value.whole()
        };
        left(element, &part)
    });
    join_all(parts)
}

fn left_by_fields(pattern: &PatStruct, value: &Value) -> Value {
    let named = pattern.fields.iter().map(|field| {
        let name = match &field.member {
            Member::Named(name) => name.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        (name, &*field.pat)
    });
    let named: Vec<(String, &Pat)> = named.collect();
    match value {
        Value::Parts(parts) => join_all(parts.iter().map(|(name, part)| {
            let mut fields = named.iter();
            match fields.find(|(field, _)| field == name) {
                Some((_, pattern)) => left(pattern, part),
                None => part.clone(),
            }
        })),
        Value::Handles(_) if pattern.rest.is_some() => value.clone(),
        Value::Handles(_) => join_all(named.iter().map(|(_, pattern)| left(pattern, value))),
    }
}

/// Whether a pattern binds by `ref mut`.
fn is_mutable_reference(pattern: &Pat) -> bool {
    struct Found(bool);
    impl Visit<'_> for Found {
        fn visit_pat_ident(&mut self, ident: &PatIdent) {
            self.0 |= ident.by_ref.is_some() && ident.mutability.is_some();
        }
    }
    let mut found = Found(false);
    found.visit_pat(pattern);
    found.0
}
