//! Calls of functions: layers with a strategy, constructors, what nobody knows.

use syn::{Expr, ExprCall, ExprClosure, Path, spanned::Spanned};

use super::{
    Flow,
    containers::is_wrapper,
    expr::join_all,
    is_number_type,
    methods::{Invocation, is_of_mem, text_of},
    rules::Layer,
    state::Who,
    tensor::{is_of_burn, makes_constant},
    value::{Site, Value},
};
use crate::{
    strategy::Strategy,
    syntax::{is_upper, last_name, peel, show},
    table::Row,
};

impl<'t> Flow<'t> {
    pub fn call(&mut self, call: &ExprCall) -> Value {
        if let Some(row) = self.row_of(call) {
            return self.layer_call(call, row);
        }
        let Expr::Path(function) = peel(&call.func) else {
            let function = self.expr(&call.func);
            return self.unknown_call(call, function);
        };
        let path = &function.path;
        if is_constructor(call) {
            let values = self.operands(call.args.iter());
            let names = (0..).map(|index: usize| index.to_string());
            return Value::Parts(names.zip(values).collect());
        }
        if let Some(invocation) = Invocation::of_path(call, function) {
            return self.method(&invocation);
        }
        match last_name(path).as_str() {
            "drop" => {
                self.operands(call.args.iter());
                Value::NOTHING
            }
            _ if is_of_number_type(path) => {
                let operands = self.operands(call.args.iter());
                self.result_of(&operands, Site::of(call))
            }
            _ if is_wrapper(path) => join_all(self.operands(call.args.iter())),
            name if is_of_mem(path) => match self.of_mem(call, name) {
                Some(value) => value,
                None => self.unknown_call(call, Value::NOTHING),
            },
            // The pieces are copied.
            "cat" | "stack" => {
                self.operands(call.args.iter());
                self.make(call)
            }
            _ if makes_constant(path) => {
                self.operands(call.args.iter());
                self.make(call).detached()
            }
            name if is_of_burn(name) => self.kept_by_function(call),
            _ => {
                let closure = self.borrowed(&call.func);
                self.unknown_call(call, closure)
            }
        }
    }

    /// Of a function that may keep what it is given, and give it back, as a closure what it has.
    fn unknown_call(&mut self, call: &ExprCall, function: Value) -> Value {
        let mut values = self.operands(call.args.iter());
        values.push(function);
        let (text, place) = text_of(&call.func);
        self.opaque(Site::of(call), values, &text, place)
    }

    /// `linear(x, weight, None)`: what a layer of burn's calls.
    fn kept_by_function(&mut self, call: &ExprCall) -> Value {
        let (text, place) = text_of(&call.func);
        for argument in self.operands(call.args.iter()) {
            self.hold(&argument, Who::Operation, &text, place);
        }
        self.make(call)
    }

    /// The row of the strategy whose call it is: the constant of one comes first.
    fn row_of(&self, call: &ExprCall) -> Option<&'t Row> {
        let constant = constant(call.args.first()?)?;
        let rows = &self.table.rows;
        rows.iter().find(|row| row.constant == *constant)
    }

    /// `::remat::checkpoint_with(Self::F_CHECKPOINT_APPLIED_BY_REMAT_FORWARD, &self.f, (x,), |f, (x,)| f.forward(x))`
    fn layer_call(&mut self, call: &ExprCall, row: &'t Row) -> Value {
        let strategy = row.strategy;
        let text = call
            .args
            .iter()
            .nth(1)
            .map(|layer| show(layer).replace('&', ""))
            .unwrap_or_default();
        let is_input = |argument: &&Expr| !matches!(peel(argument), Expr::Closure(_));
        let inputs: Vec<&Expr> = call.args.iter().skip(2).filter(is_input).collect();
        let values = self.operands(inputs.iter().copied());
        // What is not handed on runs again in a function of its own.
        for closure in call.args.iter().filter_map(as_closure) {
            self.closure(closure);
        }
        let place = call.func.span();
        if strategy == Strategy::Inplace {
            let layer = call.args.iter().nth(1).map(|layer| Layer::of(layer, row));
            return match (inputs.first(), values.first(), layer) {
                (Some(input), Some(value), Some(layer)) => {
                    self.in_place(call, input, value, &layer)
                }
                _ => self.make(call),
            };
        }
        for value in &values {
            self.hold(value, Who::Strategy(strategy.attribute()), &text, place);
        }
        self.make(call)
    }

    /// Whether an expression is a part of the module: `self.layers.iter()`, or a layer of a loop over them.
    pub fn is_of_module(&self, expr: &Expr) -> bool {
        if let Some(place) = self.place(expr) {
            return self.lent_by(&self.look(&place)) == Some(Who::Module);
        }
        match peel(expr) {
            // A parameter is a tensor, and no module.
            Expr::MethodCall(call) => {
                super::tensor::hands_on(&call.method.to_string())
                    && call.method != "val"
                    && call.method != "base"
                    && self.is_of_module(&call.receiver)
            }
            Expr::Reference(reference) => self.is_of_module(&reference.expr),
            Expr::Index(index) => self.is_of_module(&index.expr),
            Expr::Field(field) => self.is_of_module(&field.base),
            Expr::Try(attempt) => self.is_of_module(&attempt.expr),
            _ => false,
        }
    }
}

/// `Some(..)`, `Pair(..)`
pub fn is_constructor(call: &ExprCall) -> bool {
    match peel(&call.func) {
        Expr::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| is_upper(&last.ident)),
        _ => false,
    }
}

/// `f64::from(..)`
fn is_of_number_type(path: &Path) -> bool {
    let mut segments = path.segments.iter().rev().skip(1);
    segments
        .next()
        .is_some_and(|segment| is_number_type(&segment.ident))
}

/// The last name of `Self::RELU_INPLACE_APPLIED_BY_REMAT_FORWARD`, also at the end of a block.
fn constant(expr: &Expr) -> Option<&syn::Ident> {
    match peel(expr) {
        Expr::Path(path) => path.path.segments.last().map(|last| &last.ident),
        Expr::Block(block) => match block.block.stmts.last()? {
            syn::Stmt::Expr(expr, None) => constant(expr),
            _ => None,
        },
        _ => None,
    }
}

fn as_closure(expr: &Expr) -> Option<&ExprClosure> {
    match peel(expr) {
        Expr::Closure(closure) => Some(closure),
        _ => None,
    }
}
