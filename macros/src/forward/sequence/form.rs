//! Which loops are over all layers of a field, in their order.

use syn::{Expr, ExprReference, Pat, PatWild, Token, UnOp, spanned::Spanned};

use super::super::{build::reference, value::Value, walk::Walk};
use crate::syntax::{as_ident, peel};

/// A loop that can be written as a call: over all layers of a field, in their order.
pub struct Sequence {
    /// `&self.layers`
    pub layers: Expr,
    /// The pattern for the index of a layer.
    pub index: Pat,
    /// The pattern for the layer.
    pub layer: Pat,
}

/// All layers of a field.
pub struct Whole {
    layers: Expr,
    /// Whether each comes with its index.
    enumerated: bool,
}

impl Sequence {
    /// `None` if the pattern does not take index and layer apart.
    pub fn new(whole: Whole, pat: &Pat) -> Option<Self> {
        let (index, layer) = split(pat, whole.enumerated)?;
        Some(Self {
            layers: whole.layers,
            index,
            layer,
        })
    }
}

impl Walk<'_> {
    /// What the loop is over, if that is `&self.layers`, `self.layers.iter()` or `(&self.layers).into_iter()`, perhaps
    /// with `.enumerate()`.
    pub fn whole_field(&self, layers: &Expr, row: usize) -> Option<Whole> {
        let layers = peel(layers);
        if let Some(numbered) = receiver_of(layers, "enumerate") {
            // A field is no iterator.
            let iterator = matches!(peel(numbered), Expr::MethodCall(_));
            let whole = self.whole_field(numbered, row).filter(|_| iterator)?;
            return (!whole.enumerated).then_some(Whole {
                enumerated: true,
                ..whole
            });
        }
        let field = if let Some(field) = receiver_of(layers, "iter") {
            borrowed(field).unwrap_or(field)
        } else {
            let iterated = receiver_of(layers, "into_iter").unwrap_or(layers);
            borrowed(iterated)?
        };
        self.is_field(field, row).then(|| Whole {
            layers: reference(field.clone(), field.span()),
            enumerated: false,
        })
    }

    /// Whether the expression is `self.layers`.
    fn is_field(&self, expr: &Expr, row: usize) -> bool {
        let Expr::Field(field) = peel(expr) else {
            return false;
        };
        self.table.row_of(&field.member) == Some(row) && self.is_this(&field.base)
    }

    /// `self`, `*self` or a variable that is the struct.
    fn is_this(&self, expr: &Expr) -> bool {
        match peel(expr) {
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => self.is_this(&unary.expr),
            expr => as_ident(expr)
                .and_then(|name| self.scopes.get(name))
                .is_some_and(|value| matches!(value, Value::Whole { .. })),
        }
    }
}

/// `receiver` of `receiver.method()`
fn receiver_of<'a>(expr: &'a Expr, method: &str) -> Option<&'a Expr> {
    match peel(expr) {
        Expr::MethodCall(call) if call.method == method && call.args.is_empty() => {
            Some(&call.receiver)
        }
        _ => None,
    }
}

/// `place` of `&place`
fn borrowed(expr: &Expr) -> Option<&Expr> {
    match peel(expr) {
        Expr::Reference(ExprReference {
            mutability: None,
            expr,
            ..
        }) => Some(expr),
        _ => None,
    }
}

/// The patterns for the index and the layer.
fn split(pat: &Pat, enumerated: bool) -> Option<(Pat, Pat)> {
    if !enumerated {
        let index = Pat::Wild(PatWild {
            attrs: Vec::new(),
            underscore_token: Token![_](pat.span()),
        });
        return Some((index, pat.clone()));
    }
    match pat {
        Pat::Paren(paren) => split(&paren.pat, true),
        Pat::Type(typed) => split(&typed.pat, true),
        Pat::Tuple(tuple) if tuple.elems.len() == 2 => {
            let mut elements = tuple.elems.iter().cloned();
            let both = elements.next().zip(elements.next());
            both.filter(|(index, layer)| !is_rest(index) && !is_rest(layer))
        }
        _ => None,
    }
}

fn is_rest(pat: &Pat) -> bool {
    matches!(pat, Pat::Rest(_))
}
