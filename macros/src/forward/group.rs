//! The invisible groups around the `$e` of a `macro_rules!`: it is one operand, whatever is in it.

use proc_macro2::{Delimiter, Group, TokenTree};
use syn::{
    Expr, ExprParen, ItemImpl, Macro,
    token::Paren,
    visit_mut::{self, VisitMut},
};

/// Makes the groups visible where it matters: rustc forgets those that a procedural macro has taken apart
/// (<https://github.com/rust-lang/rust/issues/67062>).
// Input:
//     x * $e
//
// Output:
//     x * (1.0 + EPS)
pub fn keep_operands(item: &mut ItemImpl) {
    Visible.visit_item_impl_mut(item);
}

struct Visible;

impl VisitMut for Visible {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        match expr {
            Expr::Group(group) if is_operation(&group.expr) => {
                *expr = Expr::Paren(ExprParen {
                    attrs: std::mem::take(&mut group.attrs),
                    paren_token: Paren(group.group_token.span),
                    expr: group.expr.clone(),
                });
            }
            _ => {}
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        let trees = std::mem::take(&mut mac.tokens).into_iter();
        mac.tokens = trees.map(visible).collect();
    }
}

/// The groups inside of others are as rustc made them: nobody has looked at them.
fn visible(tree: TokenTree) -> TokenTree {
    match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            if syn::parse2(group.stream()).is_ok_and(|expr| is_operation(&expr)) {
                parenthesised(&group)
            } else {
                TokenTree::Group(group)
            }
        }
        tree => tree,
    }
}

fn parenthesised(group: &Group) -> TokenTree {
    let operands = group.stream().into_iter().map(visible).collect();
    let mut parentheses = Group::new(Delimiter::Parenthesis, operands);
    parentheses.set_span(group.span());
    TokenTree::Group(parentheses)
}

/// Whether an operator or a call next to the expression could take a part of it.
fn is_operation(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Assign(_)
            | Expr::Binary(_)
            | Expr::Break(_)
            | Expr::Cast(_)
            | Expr::Closure(_)
            | Expr::Range(_)
            | Expr::Reference(_)
            | Expr::RawAddr(_)
            | Expr::Return(_)
            | Expr::Struct(_)
            | Expr::Unary(_)
            | Expr::Yield(_)
    )
}
