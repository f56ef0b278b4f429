//! Which variables are read behind a loop: assigning one that is not would be a warning.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Expr, Ident, Stmt};

use super::super::{hoist::collect_tokens, walk::Walk};
use crate::syntax::as_ident;

impl Walk<'_> {
    /// Notes what the rest of a block reads.
    pub fn enter_statement(&mut self, behind: &[Stmt]) {
        let grouped = (0..self.table.rows.len()).any(|row| self.is_grouped(row));
        let names = if grouped {
            names_read(behind)
        } else {
            BTreeSet::new()
        };
        self.later.push(names);
    }

    pub fn leave_statement(&mut self) {
        self.later.pop();
    }

    /// Whether something behind the loop reads a variable of this name. If not, nothing is lost by one read too many.
    pub fn is_read_later(&self, name: &Ident) -> bool {
        let name = name.to_string();
        self.later.iter().any(|names| names.contains(&name))
    }
}

/// The names in the statements, but for those that get another value first.
fn names_read(statements: &[Stmt]) -> BTreeSet<String> {
    let mut read = BTreeSet::new();
    let mut written = BTreeSet::new();
    for statement in statements {
        let (tokens, target) = parts(statement);
        let mut names = BTreeSet::new();
        collect_tokens(tokens, &mut names);
        read.extend(names.difference(&written).cloned());
        collect_tokens(target, &mut written);
    }
    read
}

/// What a statement reads, and what it binds or assigns.
fn parts(statement: &Stmt) -> (TokenStream, TokenStream) {
    match statement {
        Stmt::Local(local) => (
            local
                .init
                .as_ref()
                .map_or_else(TokenStream::new, init_tokens),
            local.pat.to_token_stream(),
        ),
        Stmt::Expr(Expr::Assign(assign), _) if as_ident(&assign.left).is_some() => (
            assign.right.to_token_stream(),
            assign.left.to_token_stream(),
        ),
        statement => (statement.to_token_stream(), TokenStream::new()),
    }
}

fn init_tokens(init: &syn::LocalInit) -> TokenStream {
    let mut tokens = init.expr.to_token_stream();
    if let Some((_, otherwise)) = &init.diverge {
        otherwise.to_tokens(&mut tokens);
    }
    tokens
}
