//! Assignments: what gets another value.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{BinOp, Expr, ExprAssign, ExprBinary, Token, punctuated::Punctuated};

use super::{escape::Escape, value::Value, walk::Walk};
use crate::syntax::{as_ident, peel};

impl Walk<'_> {
    pub fn assign(&mut self, assign: &mut ExprAssign) -> Value {
        let value = self.expr(&mut assign.right);
        // `_ = self.f.len();`
        if matches!(peel(&assign.left), Expr::Infer(_)) {
            return Value::Other;
        }
        self.escape(&value, &Escape::Assignment);
        let tokens = assign.to_token_stream();
        self.assignee(&mut assign.left, &tokens);
        Value::Other
    }

    /// The left side of an assignment: a variable, a place, or a pattern of those.
    fn assignee(&mut self, left: &mut Expr, assignment: &TokenStream) {
        self.written(left, assignment);
        match left {
            Expr::Paren(paren) => self.assignee(&mut paren.expr, assignment),
            Expr::Group(group) => self.assignee(&mut group.expr, assignment),
            Expr::Tuple(tuple) => self.assignees(&mut tuple.elems, assignment),
            Expr::Array(array) => self.assignees(&mut array.elems, assignment),
            Expr::Call(call) => self.assignees(&mut call.args, assignment),
            Expr::Struct(literal) => {
                for field in &mut literal.fields {
                    self.assignee(&mut field.expr, assignment);
                }
            }
            Expr::Infer(_) => {}
            _ if as_ident(left).is_some() => {
                let bound = as_ident(left).and_then(|name| self.scopes.get(name));
                let layer = bound.and_then(|value| value.layers().first().copied().cloned());
                if let Some(layer) = layer {
                    self.rebound(left, &layer);
                }
            }
            place => {
                self.expr(place);
            }
        }
    }

    fn assignees(&mut self, elements: &mut Punctuated<Expr, Token![,]>, assignment: &TokenStream) {
        for element in elements {
            self.assignee(element, assignment);
        }
    }

    /// A variable or a place that gets another value.
    fn written(&mut self, left: &Expr, assignment: &TokenStream) {
        match peel(left) {
            Expr::Field(_) | Expr::Index(_) | Expr::Unary(_) => self.changed(left, assignment),
            left => {
                if let Some(name) = as_ident(left) {
                    self.assigned(name);
                }
            }
        }
    }

    /// `left += right`, after the walk through both.
    pub fn compound(&mut self, binary: &ExprBinary) {
        if is_compound(&binary.op) {
            self.written(&binary.left, &binary.to_token_stream());
        }
    }
}

/// `+=` and its like
fn is_compound(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}
