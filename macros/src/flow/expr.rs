//! Expressions, in the order of evaluation.

use proc_macro2::Span;
use syn::{
    BinOp, Expr, ExprBinary, ExprIndex, ExprStruct, ExprUnary, Member, UnOp, spanned::Spanned,
};

use super::{
    Flow,
    methods::Invocation,
    state::Who,
    value::{Site, Value},
};
use crate::syntax::{peel, show};

impl Flow<'_> {
    /// Evaluates an expression whose value goes elsewhere: a variable in it is handed over.
    pub fn expr(&mut self, expr: &Expr) -> Value {
        match expr {
            Expr::Paren(paren) => self.expr(&paren.expr),
            Expr::Group(group) => self.expr(&group.expr),
            Expr::Path(_) | Expr::Field(_) => self.handed_over(expr),
            Expr::Index(index) => self.index(index),
            Expr::Reference(reference) if reference.mutability.is_some() => {
                self.led_into(&reference.expr)
            }
            Expr::Reference(reference) => self.borrowed(&reference.expr),
            Expr::RawAddr(address) => self.led_into(&address.expr),
            Expr::Unary(unary) => self.unary(unary),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Tuple(tuple) => {
                let values = self.operands(tuple.elems.iter());
                let names = (0..).map(|index: usize| index.to_string());
                Value::Parts(names.zip(values).collect())
            }
            Expr::Array(array) => {
                let values = self.operands(array.elems.iter());
                self.listed(values, array.span())
            }
            Expr::Repeat(repeat) => self.expr(&repeat.expr),
            Expr::Struct(literal) => self.literal(literal),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(&Invocation::of_method(call)),
            Expr::Macro(mac) => self.macro_call(&mac.mac),
            Expr::Cast(cast) => {
                self.expr(&cast.expr);
                Value::NOTHING
            }
            Expr::Range(range) => {
                let bounds = [&range.start, &range.end];
                self.operands(bounds.into_iter().flatten().map(|bound| &**bound));
                Value::NOTHING
            }
            _ => self.control(expr),
        }
    }

    /// Evaluates a place that is only looked at. Anything else is evaluated, and there until its statement ends.
    pub fn borrowed(&mut self, expr: &Expr) -> Value {
        if let Some(place) = self.place(expr) {
            return self.look(&place);
        }
        let value = self.expr(expr);
        if !matches!(peel(expr), Expr::Reference(_)) {
            self.temporary(expr, &value);
        }
        value
    }

    /// `&mut x`: what is written through it is in `x`.
    fn led_into(&mut self, expr: &Expr) -> Value {
        let value = self.borrowed(expr);
        let place = self.place(expr);
        value.leading_into(place.map(|place| place.variable))
    }

    /// Evaluates one after the other. Each waits for the next ones, and is there while they are evaluated.
    pub fn operands<'e>(&mut self, exprs: impl Iterator<Item = &'e Expr>) -> Vec<Value> {
        let mut count = 0;
        for expr in exprs {
            let value = self.expr(expr);
            self.wait(value);
            count += 1;
        }
        let mut values: Vec<Value> = (0..count).map(|_| self.go_on()).collect();
        values.reverse();
        values
    }

    pub fn wait(&mut self, value: Value) {
        if let Some(state) = &mut self.state {
            state.waiting.push(value);
        }
    }

    pub fn go_on(&mut self) -> Value {
        let waiting = self.state.as_mut().and_then(|state| state.waiting.pop());
        waiting.unwrap_or(Value::NOTHING)
    }

    fn handed_over(&mut self, expr: &Expr) -> Value {
        let Some(place) = self.place(expr) else {
            return match expr {
                Expr::Field(field) => {
                    let base = self.expr(&field.base);
                    match &field.member {
                        Member::Named(name) => base.part(&name.to_string()),
                        Member::Unnamed(index) => base.part(&index.index.to_string()),
                    }
                }
                _ => Value::NOTHING,
            };
        };
        let value = self.look(&place);
        match (self.lent_by(&value), expr) {
            // Only what can be copied can be read out of a reference to something, which is no tensor.
            (Some(_), Expr::Field(_)) => Value::NOTHING,
            // References can be copied: what they lead to stays where it is.
            (Some(_), _) => value,
            (None, _) => self.take(&place),
        }
    }

    /// To whom a value belongs, if it is the module or the caller, with nothing else in it.
    pub fn lent_by(&self, value: &Value) -> Option<Who> {
        let holders = &self.state.as_ref()?.holders;
        let who = value.buffers().into_iter().map(|buffer| {
            let who = holders.get(&buffer)?.who;
            matches!(who, Who::Module | Who::Caller).then_some(who)
        });
        let who: Option<Vec<Who>> = who.collect();
        who?.first().copied()
    }

    /// `tensors[i]`
    fn index(&mut self, index: &ExprIndex) -> Value {
        let value = self.borrowed(&index.expr);
        self.expr(&index.index);
        value
    }

    fn unary(&mut self, unary: &ExprUnary) -> Value {
        let value = self.expr(&unary.expr);
        match unary.op {
            UnOp::Deref(_) => value,
            _ => self.result_of(&[value], Site::of(unary)),
        }
    }

    fn binary(&mut self, binary: &ExprBinary) -> Value {
        if let BinOp::And(_) | BinOp::Or(_) = binary.op {
            return self.lazily(&binary.left, &binary.right);
        }
        if is_assignment(&binary.op) {
            let right = self.expr(&binary.right);
            let left = self.borrowed(&binary.left);
            self.operation(binary, &[left, right]);
            let made = self.make(binary);
            self.assigned(&binary.left, &made);
            return Value::NOTHING;
        }
        let operands = self.operands([&*binary.left, &*binary.right].into_iter());
        self.operation(binary, &operands);
        self.result_of(&operands, Site::of(binary))
    }

    /// Products keep what they multiply, quotients too.
    fn operation(&mut self, binary: &ExprBinary, operands: &[Value]) {
        let (text, place) = (show(binary), binary.op.span());
        match binary.op {
            BinOp::Mul(_) | BinOp::MulAssign(_) => self.product(operands, &text, place),
            BinOp::Div(_) | BinOp::Rem(_) | BinOp::DivAssign(_) | BinOp::RemAssign(_) => {
                self.quotient(operands, &text, place);
            }
            _ => {}
        }
    }

    /// Each operand is kept for the gradient of the other. A number has none.
    pub fn product(&mut self, operands: &[Value], text: &str, place: Span) {
        let [one, other] = operands else { return };
        for (operand, other) in [(one, other), (other, one)] {
            if other.has_gradient() {
                self.hold(operand, Who::Operation, text, place);
            }
        }
    }

    /// What is divided is kept for the gradient of the divisor, the divisor for both.
    pub fn quotient(&mut self, operands: &[Value], text: &str, place: Span) {
        let [one, other] = operands else { return };
        if one.has_gradient() || other.has_gradient() {
            self.hold(other, Who::Operation, text, place);
        }
        if other.has_gradient() {
            self.hold(one, Who::Operation, text, place);
        }
    }

    /// A struct: its fields are known by their names.
    fn literal(&mut self, literal: &ExprStruct) -> Value {
        let values = self.operands(literal.fields.iter().map(|field| &field.expr));
        let names = literal.fields.iter().map(|field| match &field.member {
            Member::Named(name) => name.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        });
        let parts = Value::Parts(names.zip(values).collect());
        match &literal.rest {
            Some(rest) => {
                let rest = self.expr(rest);
                parts.whole().join(rest.whole())
            }
            None => parts,
        }
    }
}

pub fn join_all(values: impl IntoIterator<Item = Value>) -> Value {
    let join = |all: Value, value: Value| all.join(value.whole());
    values.into_iter().fold(Value::NOTHING, join)
}

fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}
