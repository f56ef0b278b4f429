//! The walk through the expressions of a method, in the order of evaluation.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Expr, ExprCall, ExprField, ExprPath, ExprReference, ExprStruct, Member, Path,
    PointerMutability, Token, UnOp, punctuated::Punctuated,
};

use super::{
    escape::Escape,
    repeat::Repeats,
    scope::Scopes,
    sequence::Segment,
    value::{Layer, Value},
};
use crate::{
    error::Errors,
    syntax::{is_forward, last_name, peel, show},
    table::Table,
};

pub struct Walk<'a> {
    pub table: &'a Table,
    pub scopes: Scopes,
    pub errors: &'a mut Errors,
    /// The `async` tokens around the expression, and whether the error about each is out.
    pub asyncs: Vec<(Token![async], bool)>,
    /// The loops over grouped fields around the expression.
    pub segments: Vec<Segment>,
    /// The names in what is left of the blocks around the expression.
    pub later: Vec<BTreeSet<String>>,
    pub repeats: Repeats,
    /// How many calls were rewritten.
    pub calls: usize,
    /// Whether one of them is of a layer that runs again.
    pub again: bool,
}

impl<'a> Walk<'a> {
    pub fn new(table: &'a Table, errors: &'a mut Errors) -> Self {
        Self {
            table,
            scopes: Scopes::new(),
            errors,
            asyncs: Vec::new(),
            segments: Vec::new(),
            later: Vec::new(),
            repeats: Repeats::default(),
            calls: 0,
            again: false,
        }
    }

    /// Rewrites the annotated calls in an expression, and tells what its value is.
    pub fn expr(&mut self, expr: &mut Expr) -> Value {
        match expr {
            Expr::Path(path) => self.path(path),
            Expr::Field(field) => self.field(field),
            Expr::MethodCall(_) => self.method_call(expr),
            Expr::Call(call) => self.call(call),
            Expr::Index(index) => {
                let value = self.expr(&mut index.expr).place();
                // A call in the index is not rewritten yet: the user's tokens are in the message.
                let mention = index.to_token_stream();
                self.expr(&mut index.index);
                value.mentioned(&mention)
            }
            Expr::Unary(unary) => {
                let value = self.expr(&mut unary.expr);
                match unary.op {
                    UnOp::Deref(_) => value.dereferenced(),
                    _ => Value::Other,
                }
            }
            Expr::Paren(paren) => self.expr(&mut paren.expr),
            Expr::Group(group) => self.expr(&mut group.expr),
            Expr::Reference(reference) => self.reference(reference),
            Expr::Try(attempt) => self.expr(&mut attempt.expr).unwrapped(),
            Expr::Tuple(tuple) => Value::tuple(self.exprs(&mut tuple.elems)),
            Expr::Struct(literal) => self.literal(literal),
            Expr::Array(array) => {
                for value in self.exprs(&mut array.elems) {
                    self.escape(&value, &Escape::Array);
                }
                Value::Other
            }
            Expr::Repeat(repeat) => self.expr_into(&mut repeat.expr, &Escape::Array),
            Expr::Cast(cast) => self.expr(&mut cast.expr).derived("a cast"),
            Expr::RawAddr(address) => {
                if let PointerMutability::Mut(_) = address.mutability {
                    self.changed(&address.expr, &address.to_token_stream());
                }
                self.expr(&mut address.expr).derived("a raw pointer")
            }
            Expr::Macro(mac) => self.macro_call(&mac.mac),
            _ => self.control(expr),
        }
    }

    pub fn exprs(&mut self, exprs: &mut Punctuated<Expr, Token![,]>) -> Vec<Value> {
        exprs.iter_mut().map(|expr| self.expr(expr)).collect()
    }

    /// An expression whose value gets to a place where it cannot be followed.
    pub fn expr_into(&mut self, expr: &mut Expr, escape: &Escape) -> Value {
        let value = self.expr(expr);
        self.escape(&value, escape);
        Value::Other
    }

    fn reference(&mut self, reference: &mut ExprReference) -> Value {
        if reference.mutability.is_some() {
            self.changed(&reference.expr, &reference.to_token_stream());
        }
        match self.expr(&mut reference.expr).referenced() {
            Value::Borrowed if reference.mutability.is_some() => Value::Other,
            value => value,
        }
    }

    fn path(&mut self, path: &ExprPath) -> Value {
        let ident = path.path.get_ident();
        if let Some(ident) = ident {
            self.read(ident);
        }
        let bound = ident.and_then(|ident| self.scopes.get(ident));
        bound.map_or(Value::Other, |value| {
            value.clone().mentioned(&quote!(#path))
        })
    }

    fn field(&mut self, field: &mut ExprField) -> Value {
        match self.expr(&mut field.base) {
            Value::Whole { .. } => self.field_of_whole(&field.member, 0, field.to_token_stream()),
            layer @ Value::Layer(_) => layer.place().mentioned(&field.to_token_stream()),
            Value::Tuple(elements) => match &field.member {
                Member::Unnamed(index) => elements
                    .into_iter()
                    .nth(index.index as usize)
                    .unwrap_or(Value::Other),
                Member::Named(_) => Value::Other,
            },
            derived @ Value::Derived(_) => derived,
            _ => Value::Other,
        }
    }

    /// A field of the struct, or what a pattern binds to it.
    pub fn field_of_whole(&self, member: &Member, depth: usize, mention: TokenStream) -> Value {
        match self.table.row_of(member) {
            Some(row) => Value::Layer(Layer {
                row,
                depth,
                segment: None,
                mention,
            }),
            None => Value::Other,
        }
    }

    /// Whether a path names the struct of the impl.
    pub fn is_whole(&self, path: &Path) -> bool {
        path.is_ident("Self")
            || path
                .segments
                .last()
                .is_some_and(|last| last.ident == self.table.name)
    }

    /// A function call. Its arguments are out of sight, but for `Some(..)` and for the struct itself.
    fn call(&mut self, call: &mut ExprCall) -> Value {
        self.expr(&mut call.func);
        let arguments = self.exprs(&mut call.args);
        let Expr::Path(function) = peel(&call.func) else {
            return self.escape_all(&arguments, &Escape::Argument(show(&call.func)));
        };
        match last_name(&function.path).as_str() {
            // A copy of the struct has the annotations of the struct.
            _ if self.is_whole(&function.path) => Value::Whole { depth: 0 },
            "Some" | "Ok" => arguments
                .into_iter()
                .next()
                .map_or(Value::Other, Value::items),
            _ if function
                .path
                .segments
                .last()
                .is_some_and(|last| is_forward(&last.ident)) =>
            {
                self.escape_all(&arguments, &Escape::PathCall(show(function)))
            }
            _ => self.escape_all(&arguments, &Escape::Argument(show(function))),
        }
    }

    pub fn escape_all(&mut self, values: &[Value], escape: &Escape) -> Value {
        for value in values {
            self.escape(value, escape);
        }
        Value::Other
    }

    /// A struct literal. Layers may go where they are annotated: into the struct itself.
    fn literal(&mut self, literal: &mut ExprStruct) -> Value {
        let mut values: Vec<Value> = literal
            .fields
            .iter_mut()
            .map(|field| self.expr(&mut field.expr))
            .collect();
        if let Some(rest) = &mut literal.rest {
            values.push(self.expr(rest));
        }
        if self.is_whole(&literal.path) {
            return Value::Whole { depth: 0 };
        }
        self.escape_all(&values, &Escape::Struct)
    }
}
