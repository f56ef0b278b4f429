//! Calls: of layers, of operations on tensors, of what nobody knows.

use syn::{Expr, ExprCall, ExprClosure, ExprMethodCall, spanned::Spanned};

use super::{
    Flow,
    expr::join_all,
    rules::Layer,
    state::Who,
    tensor::{Method, hands_on},
    value::Value,
};
use crate::{
    strategy::Strategy,
    syntax::{is_forward, is_upper, last_name, peel, show},
    table::Row,
};

impl<'t> Flow<'t> {
    pub fn call(&mut self, call: &ExprCall) -> Value {
        if let Some(row) = self.row_of(call) {
            return self.layer_call(call, row);
        }
        let Expr::Path(function) = peel(&call.func) else {
            self.expr(&call.func);
            return self.unknown_call(call);
        };
        let is_constructor = |last: &syn::PathSegment| is_upper(&last.ident);
        if function.path.segments.last().is_some_and(is_constructor) {
            let values = self.operands(call.args.iter());
            let names = (0..).map(|index: usize| index.to_string());
            return Value::Parts(names.zip(values).collect());
        }
        match last_name(&function.path).as_str() {
            "drop" => {
                self.operands(call.args.iter());
                Value::NOTHING
            }
            // `Clone::clone(&x)`
            "clone" if call.args.len() == 1 => join_all(self.operands(call.args.iter())),
            // The pieces are copied.
            "cat" | "stack" => {
                self.operands(call.args.iter());
                self.make(call)
            }
            _ => self.unknown_call(call),
        }
    }

    /// Of a function that may keep what it is given.
    fn unknown_call(&mut self, call: &ExprCall) -> Value {
        let arguments = self.operands(call.args.iter());
        let text = show(&call.func);
        for argument in &arguments {
            self.hold(
                argument,
                Who::Unknown,
                &format!("{text}(..)"),
                call.func.span(),
            );
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
    fn layer_call(&mut self, call: &ExprCall, row: &Row) -> Value {
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

    pub fn method_call(&mut self, call: &ExprMethodCall) -> Value {
        let name = call.method.to_string();
        if name == "clone" && call.args.is_empty() {
            return self.borrowed(&call.receiver);
        }
        let of_module = self.is_of_module(&call.receiver);
        match Method::named(&name) {
            _ if of_module => self.module_call(call, &name),
            _ if is_forward(&call.method) => self.kept(call, Who::Layer),
            Method::Looks => {
                self.borrowed(&call.receiver);
                self.operands(call.args.iter());
                Value::NOTHING
            }
            Method::Views => {
                let receiver = self.expr(&call.receiver);
                self.wait(receiver);
                self.operands(call.args.iter());
                self.go_on().whole()
            }
            Method::MakesLeaf => {
                let receiver = self.expr(&call.receiver);
                self.hold(&receiver, Who::Leaf, &show(call), call.method.span());
                receiver
            }
            Method::Frees => {
                self.receiver_and_arguments(call);
                self.make(call)
            }
            Method::Keeps => self.kept(call, Who::Operation),
            Method::Unknown if hands_on(&name) => self.handed_on(call),
            Method::Unknown if name == "push" => self.pushed(call),
            Method::Unknown => self.unknown_method(call),
        }
    }

    /// What keeps its operands for the backward pass.
    fn kept(&mut self, call: &ExprMethodCall, who: Who) -> Value {
        let operands = self.receiver_and_arguments(call);
        for operand in &operands {
            self.hold(
                operand,
                who,
                &format!(".{}(..)", call.method),
                call.method.span(),
            );
        }
        self.make(call)
    }

    fn receiver_and_arguments(&mut self, call: &ExprMethodCall) -> Vec<Value> {
        self.operands(std::iter::once(&*call.receiver).chain(&call.args))
    }

    /// A method of the module, or of one of its layers.
    fn module_call(&mut self, call: &ExprMethodCall, name: &str) -> Value {
        let module = self.borrowed(&call.receiver);
        let arguments = self.operands(call.args.iter());
        for argument in &arguments {
            let text = format!("{}.{name}(..)", show(&call.receiver));
            let who = if is_forward(&call.method) {
                Who::Layer
            } else {
                Who::Unknown
            };
            self.hold(argument, who, &text, call.method.span());
        }
        // A parameter, or a layer: what is not called has no tensor of its own.
        if hands_on(name) || Method::named(name) == Method::Views {
            return module;
        }
        self.make(call)
    }

    /// Whether an expression is a part of the module: `self.layers.iter()`, or a layer of a loop over them.
    fn is_of_module(&self, expr: &Expr) -> bool {
        if let Some(place) = self.place(expr) {
            return self.lent_by(&self.look(&place)) == Some(Who::Module);
        }
        match peel(expr) {
            Expr::MethodCall(call) if hands_on(&call.method.to_string()) => {
                // A parameter is a tensor, and no module.
                call.method != "val" && call.method != "base" && self.is_of_module(&call.receiver)
            }
            Expr::Reference(reference) => self.is_of_module(&reference.expr),
            Expr::Index(index) => self.is_of_module(&index.expr),
            Expr::Field(field) => self.is_of_module(&field.base),
            Expr::Try(attempt) => self.is_of_module(&attempt.expr),
            _ => false,
        }
    }

    /// `tensors.iter()`, `maybe.unwrap()`: what is inside. A container that is only looked at keeps it.
    fn handed_on(&mut self, call: &ExprMethodCall) -> Value {
        // Elements are not told apart: those that are not taken out are still there.
        let whole = matches!(
            call.method.to_string().as_str(),
            "expect"
                | "into"
                | "into_iter"
                | "ok"
                | "ok_or"
                | "ok_or_else"
                | "unwrap"
                | "unwrap_or"
                | "unwrap_or_default"
                | "unwrap_or_else"
        );
        let inside = if whole {
            self.expr(&call.receiver)
        } else {
            self.borrowed(&call.receiver)
        };
        self.wait(inside);
        let others = self.operands(call.args.iter());
        let inside = self.go_on();
        let only = match &inside {
            Value::Parts(parts) if parts.len() == 1 => inside.part("0"),
            _ => inside.whole(),
        };
        only.join(join_all(others))
    }

    /// `tensors.push(x)`: it is in there, too.
    fn pushed(&mut self, call: &ExprMethodCall) -> Value {
        let added = self.operands(call.args.iter());
        if let Some(place) = self.place(&call.receiver) {
            let list = self.look(&place);
            let all = self.listed(
                std::iter::once(list).chain(added).collect(),
                call.method.span(),
            );
            self.put(&place, all);
        }
        Value::NOTHING
    }

    /// It may take the tensor or look at it, and clone what it looks at.
    fn unknown_method(&mut self, call: &ExprMethodCall) -> Value {
        let receiver = self.borrowed(&call.receiver);
        self.wait(receiver.clone());
        let arguments = self.operands(call.args.iter());
        self.go_on();
        let text = format!(".{}(..)", call.method);
        for value in arguments.iter().chain([&receiver]) {
            self.hold(value, Who::Unknown, &text, call.method.span());
        }
        self.make(call)
    }
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
