//! Follows the output of a tail through a method.

use std::fmt::{self, Display};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    BinOp, Block, Expr, ExprBinary, ExprField, ExprMethodCall, Ident, ImplItemFn, Lit, Pat, Stmt,
    UnOp,
    spanned::Spanned,
    visit::{self, Visit},
};

use super::{
    super::build::{self, reference, runtime},
    shown,
    ways::{Need, need},
};
use crate::{
    error::Errors,
    syntax::{as_ident, is_forward, is_upper, peel},
    table::Table,
};

/// Whether a value depends on a tail's output, and on which.
type Missing = Option<usize>;

pub struct Flow<'a> {
    table: &'a Table,
    errors: &'a mut Errors,
    /// The local variables whose value may be missing, innermost scope last; others hide them.
    scopes: Vec<Vec<(Ident, Missing)>>,
    /// The tails that are called.
    pub called: Vec<usize>,
}

impl<'a> Flow<'a> {
    pub fn new(table: &'a Table, errors: &'a mut Errors) -> Self {
        Self {
            table,
            errors,
            scopes: vec![Vec::new()],
            called: Vec::new(),
        }
    }

    /// Replaces the calls of tails in a method.
    pub fn method(&mut self, function: &mut ImplItemFn) {
        self.block(&mut function.block);
    }

    fn block(&mut self, block: &mut Block) -> Missing {
        self.scopes.push(Vec::new());
        let mut value = None;
        for statement in &mut block.stmts {
            value = self.statement(statement);
        }
        self.scopes.pop();
        value
    }

    fn statement(&mut self, statement: &mut Stmt) -> Missing {
        match statement {
            Stmt::Local(local) => {
                let Some(init) = &mut local.init else {
                    self.bind(&local.pat, None);
                    return None;
                };
                if let (Pat::Tuple(pats), Expr::Tuple(exprs)) = (&local.pat, &mut *init.expr)
                    && pats.elems.len() == exprs.elems.len()
                    && !pats.elems.iter().any(|pat| matches!(pat, Pat::Rest(_)))
                {
                    let values: Vec<Missing> =
                        exprs.elems.iter_mut().map(|expr| self.expr(expr)).collect();
                    for (pat, value) in pats.elems.iter().zip(values) {
                        self.bind(pat, value);
                    }
                    return None;
                }
                let value = self.expr(&mut init.expr);
                if let Some((_, otherwise)) = &mut init.diverge {
                    self.expr(otherwise);
                }
                self.bind(&local.pat, value);
                None
            }
            Stmt::Expr(expr, None) => self.expr(expr),
            Stmt::Expr(expr, Some(_)) => {
                self.expr(expr);
                None
            }
            Stmt::Macro(call) => self.opaque(&call.mac.tokens),
            Stmt::Item(_) => None,
        }
    }

    /// Whether the value of an expression is missing. Reports the use of one that is.
    fn expr(&mut self, expr: &mut Expr) -> Missing {
        match expr {
            Expr::Path(path) => path.path.get_ident().and_then(|name| self.get(name)),
            Expr::MethodCall(_) => self.method_call(expr),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Field(field) => self.field(field),
            Expr::Unary(unary) => {
                let value = self.expr(&mut unary.expr);
                match unary.op {
                    UnOp::Neg(_) | UnOp::Deref(_) => value,
                    _ => self.read(value, &unary.expr),
                }
            }
            Expr::Paren(paren) => self.expr(&mut paren.expr),
            Expr::Group(group) => self.expr(&mut group.expr),
            Expr::Reference(reference) => self.expr(&mut reference.expr),
            Expr::Try(attempt) => self.expr(&mut attempt.expr),
            Expr::Tuple(tuple) => self.any(tuple.elems.iter_mut()),
            Expr::Array(array) => self.any(array.elems.iter_mut()),
            Expr::Struct(literal) => {
                let fields = literal.fields.iter_mut().map(|field| &mut field.expr);
                self.any(fields.chain(literal.rest.as_deref_mut()))
            }
            Expr::Call(call) => {
                // `Some(h)`, `Output(h)`: what holds the value is handed on.
                let constructor = matches!(peel(&call.func), Expr::Path(path)
                    if path.path.segments.last().is_some_and(|last| is_upper(&last.ident)));
                if constructor {
                    return self.any(call.args.iter_mut());
                }
                self.all_read(call.args.iter_mut())
            }
            Expr::Return(exit) => {
                if let Some(value) = &mut exit.expr {
                    self.expr(value);
                }
                None
            }
            _ => self.control(expr),
        }
    }

    fn control(&mut self, expr: &mut Expr) -> Missing {
        match expr {
            Expr::Block(block) => self.block(&mut block.block),
            Expr::Unsafe(block) => self.block(&mut block.block),
            Expr::If(branch) => {
                self.scopes.push(Vec::new());
                self.condition(&mut branch.cond);
                let before = self.scopes.clone();
                let then = self.block(&mut branch.then_branch);
                let after = std::mem::replace(&mut self.scopes, before);
                let otherwise = branch
                    .else_branch
                    .as_mut()
                    .and_then(|(_, otherwise)| self.expr(otherwise));
                self.merge(after);
                self.scopes.pop();
                then.or(otherwise)
            }
            Expr::Match(choice) => {
                let value = self.expr(&mut choice.expr);
                self.read(value, &choice.expr);
                let before = self.scopes.clone();
                let mut result = None;
                for arm in &mut choice.arms {
                    let after = std::mem::replace(&mut self.scopes, before.clone());
                    self.scopes.push(Vec::new());
                    self.bind(&arm.pat, None);
                    result = result.or(self.expr(&mut arm.body));
                    self.scopes.pop();
                    self.merge(after);
                }
                result
            }
            Expr::Assign(assign) => {
                let value = self.expr(&mut assign.right);
                match as_ident(&assign.left) {
                    Some(name) => self.set(name, value),
                    None if matches!(peel(&assign.left), Expr::Infer(_)) => {}
                    None => {
                        self.read(value, &assign.right);
                    }
                }
                None
            }
            Expr::Index(index) => {
                let value = self.expr(&mut index.expr);
                self.all_read(std::iter::once(&mut *index.index));
                value
            }
            Expr::Range(range) => {
                let ends = [&mut range.start, &mut range.end];
                self.all_read(ends.into_iter().flatten().map(|end| &mut **end))
            }
            Expr::Cast(cast) => self.all_read(std::iter::once(&mut *cast.expr)),
            Expr::Lit(_) | Expr::Infer(_) | Expr::Continue(_) => None,
            // Loops, closures, macros, `async`: a value that runs around in them is not followed.
            other => {
                let mut calls = TailCalls {
                    table: self.table,
                    found: None,
                };
                calls.visit_expr(other);
                if let Some((tail, place)) = calls.found {
                    self.errors.at(
                        &place,
                        &NotFollowed {
                            tail: shown(self.table, tail),
                        },
                    );
                }
                self.opaque(&other.to_token_stream())
            }
        }
    }

    /// The condition of an `if`, with what its patterns bind.
    fn condition(&mut self, condition: &mut Expr) {
        match condition {
            Expr::Let(test) => {
                let value = self.expr(&mut test.expr);
                self.read(value, &test.expr);
                self.bind(&test.pat, None);
            }
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
                self.condition(&mut binary.left);
                self.condition(&mut binary.right);
            }
            other => {
                let value = self.expr(other);
                self.read(value, other);
            }
        }
    }

    fn method_call(&mut self, expr: &mut Expr) -> Missing {
        let Expr::MethodCall(call) = expr else {
            return None;
        };
        if let Some(tail) = self
            .tail_of(&call.receiver)
            .filter(|_| is_forward(&call.method))
        {
            self.all_read(call.args.iter_mut());
            self.called
                .extend((!self.called.contains(&tail)).then_some(tail));
            *expr = self.tail_call(call);
            return Some(tail);
        }
        if is_forward(&call.method) && is_field_of_self(&call.receiver) {
            return self.through(call);
        }
        let receiver = self.expr(&mut call.receiver);
        let need = need(&call.method.to_string());
        let arguments = if need == Need::NothingOfBoth {
            self.any(call.args.iter_mut())
        } else {
            self.all_read(call.args.iter_mut())
        };
        match need {
            Need::NothingOfBoth | Need::Nothing => receiver.or(arguments),
            Need::Shape => None,
            Need::Value => self.read(receiver, &call.method),
        }
    }

    /// Another layer behind the tail, such as dropout.
    // Input:
    //     self.dropout.forward(h)
    //
    // Output:
    //     ::remat::ignores_value(&self.dropout).forward(h)
    fn through(&mut self, call: &mut ExprMethodCall) -> Missing {
        let value = self.any(call.args.iter_mut())?;
        if let Expr::Field(field) = peel(&call.receiver)
            && self.table.row_of(&field.member).is_some()
        {
            return self.read(Some(value), &call.args);
        }
        let place = call.receiver.span();
        let layer = reference((*call.receiver).clone(), place);
        let function = runtime(&self.table.krate, "ignores_value", place);
        *call.receiver = build::call(function, [layer], place);
        Some(value)
    }

    // Input:
    //     self.down.forward(h)
    //
    // Output:
    //     ::remat::tail(&self.down, h)
    fn tail_call(&self, call: &ExprMethodCall) -> Expr {
        let place = call.method.span();
        let layer = reference((*call.receiver).clone(), call.receiver.span());
        let arguments = call.args.iter().cloned();
        let function = runtime(&self.table.krate, "tail", place);
        build::call(function, std::iter::once(layer).chain(arguments), place)
    }

    fn binary(&mut self, binary: &mut ExprBinary) -> Missing {
        let left = self.expr(&mut binary.left);
        let right = self.expr(&mut binary.right);
        match binary.op {
            BinOp::Add(_) | BinOp::Sub(_) => left.or(right),
            BinOp::AddAssign(_) | BinOp::SubAssign(_) => {
                match as_ident(&binary.left) {
                    Some(name) => self.set(name, left.or(right)),
                    None => {
                        self.read(right, &binary.right);
                    }
                }
                None
            }
            BinOp::Mul(_) | BinOp::Div(_) if left.is_some() && is_number(&binary.right) => left,
            BinOp::Mul(_) if right.is_some() && is_number(&binary.left) => right,
            _ => {
                self.read(left, &binary.left);
                self.read(right, &binary.right)
            }
        }
    }

    /// A field: of `self`, where a tail is only to be called, or of something with a missing value.
    fn field(&mut self, field: &mut ExprField) -> Missing {
        if let Some(tail) = self.tail_field(field) {
            let tail = shown(self.table, tail);
            self.errors.at(field, &NotFollowed { tail });
            return None;
        }
        // `self.down.weight`
        if let Expr::Field(base) = peel(&field.base)
            && self.tail_field(base).is_some()
        {
            return None;
        }
        self.expr(&mut field.base)
    }

    fn tail_of(&self, receiver: &Expr) -> Option<usize> {
        match peel(receiver) {
            Expr::Field(field) => self.tail_field(field),
            _ => None,
        }
    }

    fn tail_field(&self, field: &ExprField) -> Option<usize> {
        as_ident(&field.base).filter(|base| *base == "self")?;
        self.table.tail_of(&field.member)
    }

    /// The missing value among several.
    fn any<'e>(&mut self, exprs: impl Iterator<Item = &'e mut Expr>) -> Missing {
        let mut missing = None;
        for expr in exprs {
            missing = missing.or(self.expr(expr));
        }
        missing
    }

    fn all_read<'e>(&mut self, exprs: impl Iterator<Item = &'e mut Expr>) -> Missing {
        for expr in exprs {
            let value = self.expr(expr);
            self.read(value, expr);
        }
        None
    }

    /// Reports a missing value that would be read here.
    fn read(&mut self, value: Missing, place: &dyn ToTokens) -> Missing {
        if let Some(tail) = value {
            let tail = shown(self.table, tail);
            self.errors.at(place, &Read { tail });
        }
        None
    }

    /// Tokens that are not followed must not name a missing value.
    fn opaque(&mut self, tokens: &TokenStream) -> Missing {
        for tree in tokens.clone() {
            match tree {
                TokenTree::Group(group) => {
                    self.opaque(&group.stream());
                }
                TokenTree::Ident(name) => {
                    let value = self.get(&name);
                    self.read(value, &name);
                }
                _ => {}
            }
        }
        None
    }

    fn bind(&mut self, pat: &Pat, value: Missing) {
        let mut names = Names(Vec::new());
        names.visit_pat(pat);
        if let Some(scope) = self.scopes.last_mut() {
            scope.extend(names.0.into_iter().map(|name| (name, value)));
        }
    }

    fn get(&self, name: &Ident) -> Missing {
        let newest_first = self
            .scopes
            .iter()
            .rev()
            .flat_map(|scope| scope.iter().rev());
        newest_first
            .filter(|(bound, _)| bound == name)
            .map(|(_, value)| *value)
            .next()
            .flatten()
    }

    fn set(&mut self, name: &Ident, value: Missing) {
        let mut newest_first = self
            .scopes
            .iter_mut()
            .rev()
            .flat_map(|scope| scope.iter_mut().rev());
        match newest_first.find(|(bound, _)| bound == name) {
            Some((_, old)) => *old = value,
            // A parameter.
            None => self.scopes[0].push((name.clone(), value)),
        }
    }

    /// What is missing at the end of one branch may be missing after both.
    fn merge(&mut self, other: Vec<Vec<(Ident, Missing)>>) {
        for (scope, other) in self.scopes.iter_mut().zip(other) {
            for (index, (name, value)) in other.into_iter().enumerate() {
                match scope.get_mut(index) {
                    Some((_, here)) => *here = here.or(value),
                    None => scope.push((name, value)),
                }
            }
        }
    }
}

fn is_field_of_self(receiver: &Expr) -> bool {
    match peel(receiver) {
        Expr::Field(field) => matches!(as_ident(&field.base), Some(base) if base == "self"),
        _ => false,
    }
}

fn is_number(expr: &Expr) -> bool {
    matches!(peel(expr), Expr::Lit(lit) if matches!(lit.lit, Lit::Int(_) | Lit::Float(_)))
}

/// The names that a pattern binds.
struct Names(Vec<Ident>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.0.push(pat.ident.clone());
        visit::visit_pat_ident(self, pat);
    }
}

/// A tail that is named where it is not followed.
struct TailCalls<'a> {
    table: &'a Table,
    found: Option<(usize, ExprField)>,
}

impl<'ast> Visit<'ast> for TailCalls<'_> {
    fn visit_expr_field(&mut self, field: &'ast ExprField) {
        let of_self = matches!(as_ident(&field.base), Some(base) if base == "self");
        let tail = of_self.then(|| self.table.tail_of(&field.member)).flatten();
        if let Some(tail) = tail {
            self.found.get_or_insert_with(|| (tail, field.clone()));
        }
        visit::visit_expr_field(self, field);
    }
}

/// The value is needed where it is missing.
struct Read {
    tail: String,
}

impl Display for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the output of `{}`, which has `#[remat(tail)]`, is not computed when this method runs again, but its \
             value is needed here\n\nhelp: a tail's output may be added to others, reshaped, sliced, go through \
             dropout and be returned; remove `#[remat(tail)]` if it is used in another way",
            self.tail
        )
    }
}

/// The tail is mentioned in a form that is not followed.
struct NotFollowed {
    tail: String,
}

impl Display for NotFollowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tail } = self;
        write!(
            f,
            "`{tail}` has `#[remat(tail)]`, and remat cannot follow its output from here\n\nhelp: call it as \
             `{tail}.forward(..)`, outside of loops, closures and macros, or remove `#[remat(tail)]`"
        )
    }
}
