//! Which parts of the arguments move into the closure, and which are evaluated outside and become inputs.
//!
//! A type like burn's `MhaInput` has private fields: remat cannot look for tensors in it. So the constructors around
//! the arguments move into the closure, and what they are applied to is an input.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Expr, ExprClosure, ExprPath, ExprReference, ExprStruct, Member, PatIdent, Token,
    spanned::Spanned,
    visit::{self, Visit},
};

use super::{
    call::in_a_function,
    inside::{Arguments, each_part, is_constant, moves},
    scope::Scopes,
};
use crate::{
    error::Errors,
    strategy::Strategy,
    syntax::{as_ident, peel},
};

/// The inputs of one call, in the order in which the user's code evaluates them.
pub struct Inputs<'a> {
    strategy: Strategy,
    scopes: &'a Scopes,
    errors: &'a mut Errors,
    /// The names that are in use in the closure.
    taken: BTreeSet<String>,
    pub exprs: Vec<Expr>,
    /// What the closure calls them.
    pub names: Vec<Ident>,
}

impl<'a> Inputs<'a> {
    /// Takes the inputs out of the arguments of a call, which are left as the closure needs them.
    // Input:
    //     MhaInput::self_attn(h.clone()).mask_pad(mask)
    //
    // Output:
    //     MhaInput::self_attn(input).mask_pad(mask)
    //     with the inputs `h.clone()` and `mask`
    pub fn of(
        arguments: &mut Arguments,
        strategy: Strategy,
        scopes: &'a Scopes,
        errors: &'a mut Errors,
    ) -> Self {
        let mut taken = BTreeSet::new();
        for argument in arguments.iter_mut() {
            collect_names(argument, scopes, &mut taken);
        }
        let mut inputs = Self {
            strategy,
            scopes,
            errors,
            taken,
            exprs: Vec::new(),
            names: Vec::new(),
        };
        for argument in arguments {
            inputs.hoist(argument);
        }
        inputs
    }

    /// Goes into what moves into the closure, and takes everything else.
    fn hoist(&mut self, expr: &mut Expr) {
        if let Expr::Reference(reference) = peel(expr) {
            self.check_reference(reference);
        } else if moves(expr, self.scopes) {
            self.hoist_parts(expr);
        } else {
            self.take(expr);
        }
    }

    fn hoist_parts(&mut self, expr: &mut Expr) {
        each_part(expr, &mut |part| self.hoist(part));
        match expr {
            Expr::Struct(literal) => write_out(literal),
            Expr::Closure(closure) => self.check_captures(closure),
            _ => {}
        }
    }

    /// Makes an expression an input, and leaves its name.
    fn take(&mut self, expr: &mut Expr) {
        let variable = as_ident(expr).filter(|name| *name != "self" && !self.names.contains(name));
        let name = match variable {
            Some(name) => name.clone(),
            None => self.fresh("input", expr.span()),
        };
        let place = Expr::Path(ExprPath {
            attrs: Vec::new(),
            qself: None,
            path: name.clone().into(),
        });
        self.exprs.push(std::mem::replace(expr, place));
        self.names.push(name);
    }

    /// `base`, or `base_1` and so on if that is in use.
    ///
    /// The name could be hidden from the user's code with `Span::mixed_site()`. But rustc takes an expression with
    /// such a name in it for one of the macro's, and then reports errors about it at `#[remat::forward]`.
    fn fresh(&mut self, base: &str, span: Span) -> Ident {
        let mut name = base.to_string();
        let mut count = 0;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{base}_{count}");
        }
        Ident::new(&name, span)
    }

    /// A name for the layer that nothing else in the closure has.
    pub fn layer_name(&mut self, preferred: Option<&Ident>, span: Span) -> Ident {
        match preferred {
            // A field may have a name that a variable should not have.
            Some(name) if is_variable(name) && self.taken.insert(name.to_string()) => name.clone(),
            _ => self.fresh("layer", span),
        }
    }

    fn check_reference(&mut self, reference: &ExprReference) {
        if reference.mutability.is_none() && is_constant(&reference.expr, self.scopes) {
            return;
        }
        let inputs = if self.strategy.runs_again() {
            "a checkpointed call keeps its inputs until the backward pass, so they".to_string()
        } else {
            format!("{}, so its inputs", in_a_function(self.strategy))
        };
        self.errors.at(
            reference,
            &format_args!(
                "{inputs} cannot be borrowed\n\nhelp: pass an owned value (`x.clone()` of a tensor shares its buffer); \
                 a call that is not for training belongs in an `impl` without `#[remat::forward]`"
            ),
        );
    }

    fn check_captures(&mut self, closure: &ExprClosure) {
        let mut names = Names::default();
        names.visit_expr_closure(closure);
        let layer = if self.strategy.runs_again() {
            "a checkpointed layer runs again in the backward pass".to_string()
        } else {
            in_a_function(self.strategy)
        };
        for name in names.used {
            if self.scopes.has(&name) && !names.bound.contains(&name) {
                self.errors.at(
                    &name,
                    &format_args!(
                        "{layer}, so a closure that is passed to it cannot capture `{name}`\n\nhelp: apply the \
                         closure outside of the call, or pass `{name}` as an argument of its own"
                    ),
                );
            }
        }
    }
}

/// The names that mean something in the closure: variables that will be inputs, and what stands in other closures.
fn collect_names(expr: &mut Expr, scopes: &Scopes, names: &mut BTreeSet<String>) {
    if let Expr::Closure(closure) = expr {
        collect_tokens(closure.to_token_stream(), names);
    } else if moves(expr, scopes) {
        each_part(expr, &mut |part| collect_names(part, scopes, names));
    } else if let Some(name) = as_ident(expr) {
        names.insert(name.to_string());
    }
}

pub fn collect_tokens(tokens: TokenStream, names: &mut BTreeSet<String>) {
    for tree in tokens {
        match tree {
            TokenTree::Ident(name) => {
                names.insert(name.to_string());
            }
            TokenTree::Group(group) => collect_tokens(group.stream(), names),
            _ => {}
        }
    }
}

fn is_variable(name: &Ident) -> bool {
    let name = name.to_string();
    !name.contains(char::is_uppercase) && !name.starts_with('_')
}

/// `Input { mask }` where the input has another name by now: `Input { mask: input }`.
fn write_out(literal: &mut ExprStruct) {
    for field in &mut literal.fields {
        let same =
            matches!(&field.member, Member::Named(name) if as_ident(&field.expr) == Some(name));
        if !same && field.colon_token.is_none() {
            field.colon_token = Some(Token![:](field.member.span()));
        }
    }
}

/// The variables that a closure uses, and those that it binds.
#[derive(Default)]
struct Names {
    used: Vec<Ident>,
    bound: Vec<Ident>,
}

impl<'ast> Visit<'ast> for Names {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        self.used.extend(path.path.get_ident().cloned());
    }

    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.bound.push(pat.ident.clone());
        visit::visit_pat_ident(self, pat);
    }
}
