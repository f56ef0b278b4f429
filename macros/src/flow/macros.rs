//! Macro calls: those whose arguments are known to be expressions, and the others.

use std::rc::Rc;

use proc_macro2::{TokenStream, TokenTree};
use syn::{Expr, Macro, Token, parse::Parser, punctuated::Punctuated, spanned::Spanned};

use super::{
    Flow,
    expr::join_all,
    state::Who,
    std_names::LOOKING_MACROS,
    value::{Site, Value},
};
use crate::syntax::last_name;

impl Flow<'_> {
    pub fn macro_call(&mut self, mac: &Macro) -> Value {
        let name = last_name(&mac.path);
        match (self.arguments_of(mac), name.as_str()) {
            (Some(elements), "vec") => {
                let values = self.operands(elements.iter());
                self.listed(values, mac.span())
            }
            (Some(elements), "dbg") => {
                let mut values = self.operands(elements.iter());
                match values.len() {
                    1 => values.remove(0),
                    _ => join_all(values),
                }
            }
            (_, name) if LOOKING_MACROS.contains(&name) => Value::NOTHING,
            (_, "panic" | "todo" | "unimplemented" | "unreachable") => {
                self.state = None;
                Value::NOTHING
            }
            _ => {
                let text = format!("{name}!(..)");
                let named = self.named_in(mac.tokens.clone());
                let holders = self.holders_of(std::slice::from_ref(&named));
                self.hold(&named, Who::Macro, &text, mac.span());
                self.given_back(Site::of(mac), vec![named], &holders)
            }
        }
    }

    /// The expressions in a macro call. They are parsed once, since what they make is known by where they are.
    fn arguments_of(&mut self, mac: &Macro) -> Option<Rc<Vec<Expr>>> {
        let parsed = self.parsed.entry(Site::of(mac)).or_insert_with(|| {
            let arguments = Punctuated::<Expr, Token![,]>::parse_terminated;
            let arguments = arguments.parse2(mac.tokens.clone()).ok()?;
            Some(Rc::new(arguments.into_iter().collect()))
        });
        parsed.clone()
    }

    /// What the variables have that are named in some tokens.
    pub fn named_in(&self, tokens: TokenStream) -> Value {
        let values = tokens.into_iter().map(|tree| match tree {
            TokenTree::Group(group) => self.named_in(group.stream()),
            TokenTree::Ident(name) => {
                let variable = self.scopes.find(&name);
                let value =
                    variable.and_then(|variable| self.state.as_ref()?.variables.get(&variable));
                value.map_or(Value::NOTHING, Value::whole)
            }
            _ => Value::NOTHING,
        });
        values.fold(Value::NOTHING, Value::join)
    }
}
