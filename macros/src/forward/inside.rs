//! What moves into the closure of a rewritten call: constructors, literals, constants and closures.

use syn::{Expr, ExprCall, Path, QSelf, Token, Type, UnOp, punctuated::Punctuated};

use super::scope::Scopes;
use crate::syntax::{is_upper, last_name, peel, peel_type};

pub type Arguments = Punctuated<Expr, Token![,]>;

/// The expressions in one that moves into the closure, in the order of evaluation.
pub fn each_part(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    match expr {
        Expr::Paren(paren) => f(&mut paren.expr),
        Expr::Group(group) => f(&mut group.expr),
        Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(f),
        Expr::Array(array) => array.elems.iter_mut().for_each(f),
        Expr::Repeat(repeat) => f(&mut repeat.expr),
        Expr::Cast(cast) => f(&mut cast.expr),
        Expr::Call(call) => call.args.iter_mut().for_each(f),
        Expr::MethodCall(call) => {
            f(&mut call.receiver);
            call.args.iter_mut().for_each(f);
        }
        Expr::Struct(literal) => {
            let fields = literal.fields.iter_mut().map(|field| &mut field.expr);
            fields.chain(literal.rest.as_deref_mut()).for_each(f);
        }
        Expr::Range(range) => {
            let ends = [&mut range.start, &mut range.end];
            ends.into_iter().flatten().for_each(|end| f(end));
        }
        _ => {}
    }
}

/// Whether the expression moves into the closure; its parts may be inputs.
pub fn moves(expr: &Expr, scopes: &Scopes) -> bool {
    match expr {
        Expr::Tuple(_)
        | Expr::Array(_)
        | Expr::Repeat(_)
        | Expr::Struct(_)
        | Expr::Range(_)
        | Expr::Closure(_) => true,
        Expr::Paren(paren) => moves(&paren.expr, scopes),
        Expr::Group(group) => moves(&group.expr, scopes),
        Expr::Cast(cast) => moves(&cast.expr, scopes),
        Expr::Call(call) => is_constructor(call, scopes),
        Expr::MethodCall(call) => moves(&call.receiver, scopes) && !borrows(&call.args, scopes),
        _ => is_constant(expr, scopes),
    }
}

/// A literal, a constant, a variant without fields, and what consists of them.
pub fn is_constant(expr: &Expr, scopes: &Scopes) -> bool {
    match peel(expr) {
        Expr::Lit(_) => true,
        Expr::Unary(unary) => {
            matches!(unary.op, UnOp::Neg(_) | UnOp::Not(_)) && is_constant(&unary.expr, scopes)
        }
        Expr::Path(path) => match path.path.get_ident() {
            Some(name) if path.qself.is_none() => is_upper(name) && !scopes.has(name),
            // A variable has no path.
            _ => true,
        },
        Expr::Array(array) => array
            .elems
            .iter()
            .all(|element| is_constant(element, scopes)),
        Expr::Tuple(tuple) => tuple
            .elems
            .iter()
            .all(|element| is_constant(element, scopes)),
        Expr::Reference(reference) => {
            reference.mutability.is_none() && is_constant(&reference.expr, scopes)
        }
        _ => false,
    }
}

/// `MhaInput::self_attn(h)`, `Some(mask)`: the name of a type or a variant is in the path.
///
/// A function of `Tensor` gives a tensor, and one that borrows an argument may give anything: those are inputs. A
/// variant that is given a reference keeps it, which is an error.
fn is_constructor(call: &ExprCall, scopes: &Scopes) -> bool {
    let Expr::Path(function) = peel(&call.func) else {
        return false;
    };
    let variant = function
        .path
        .segments
        .last()
        .is_some_and(|last| is_upper(&last.ident));
    let named = function
        .path
        .segments
        .iter()
        .any(|segment| is_upper(&segment.ident))
        || function.qself.is_some();
    named
        && !is_of_tensor(function.qself.as_ref(), &function.path)
        && (variant || !borrows(&call.args, scopes))
}

/// `Tensor::cat`, `Tensor::<2>::zeros`, `<Tensor<2>>::zeros`
fn is_of_tensor(qself: Option<&QSelf>, path: &Path) -> bool {
    let of_type = qself.is_some_and(
        |qself| matches!(peel_type(&qself.ty), Type::Path(ty) if last_name(&ty.path) == "Tensor"),
    );
    of_type
        || path
            .segments
            .iter()
            .any(|segment| segment.ident == "Tensor")
}

fn borrows(arguments: &Arguments, scopes: &Scopes) -> bool {
    arguments.iter().any(|argument| {
        matches!(peel(argument), Expr::Reference(_)) && !is_constant(argument, scopes)
    })
}
