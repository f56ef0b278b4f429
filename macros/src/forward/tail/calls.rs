//! The calls that are different in a method without its tail.

use syn::{
    Block, Expr, ExprMethodCall, Member,
    spanned::Spanned,
    visit_mut::{self, VisitMut},
};

use super::super::build::{self, reference, runtime};
use crate::{
    error::Errors,
    syntax::{as_ident, is_forward, peel},
    table::Table,
};

/// Replaces the calls of tails, and of layers that what is not computed may pass; tells which tails are called.
pub fn replace(table: &Table, body: &mut Block, errors: &mut Errors) -> Vec<usize> {
    let mut replace = Replace {
        table,
        errors,
        called: Vec::new(),
    };
    replace.visit_block_mut(body);
    replace.called
}

struct Replace<'a> {
    table: &'a Table,
    errors: &'a mut Errors,
    called: Vec<usize>,
}

impl VisitMut for Replace<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        if let Expr::MethodCall(call) = expr
            && let Some(member) = field_of_self(&call.receiver)
            && let Some(replaced) = self.replaced(call, member)
        {
            *expr = replaced;
        }
    }

    // Items have a `self` of their own.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

impl Replace<'_> {
    fn replaced(&mut self, call: &ExprMethodCall, member: &Member) -> Option<Expr> {
        let table = self.table;
        if let Some(tail) = table.tail_of(member).filter(|_| is_forward(&call.method)) {
            self.check(call);
            if !self.called.contains(&tail) {
                self.called.push(tail);
            }
            return Some(self.call("tail", call));
        }
        let passes = call.method == "forward" && call.args.len() == 1 && table.passes(member);
        passes.then(|| self.call("pass", call))
    }

    // Input:
    //     self.down.forward(h)
    //
    // Output:
    //     ::remat::tail(&self.down, h)
    fn call(&self, function: &str, call: &ExprMethodCall) -> Expr {
        let place = call.method.span();
        let layer = reference((*call.receiver).clone(), call.receiver.span());
        let arguments = call.args.iter().cloned();
        let function = runtime(&self.table.krate, function, place);
        build::call(function, std::iter::once(layer).chain(arguments), place)
    }

    /// What a tail leaves out is its `forward`, of one input.
    fn check(&mut self, call: &ExprMethodCall) {
        if call.method != "forward" || call.args.len() != 1 {
            self.errors.at(
                &call.method,
                &"the layer has `#[remat(tail)]`, so it can only be called as `forward`, with one input\
                  \n\nhelp: remove `#[remat(tail)]`",
            );
        }
    }
}

/// The field of `self.field`.
fn field_of_self(receiver: &Expr) -> Option<&Member> {
    let Expr::Field(field) = peel(receiver) else {
        return None;
    };
    as_ident(&field.base).filter(|base| *base == "self")?;
    Some(&field.member)
}
