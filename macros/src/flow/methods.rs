//! Methods: operations on tensors, of the module, and what nobody knows.

use proc_macro2::Span;
use syn::{Expr, ExprCall, ExprMethodCall, ExprPath, Ident, Path, spanned::Spanned};

use super::{
    Flow,
    expr::join_all,
    state::{Holder, Who},
    tensor::{Method, is_in_pieces, is_of_numbers},
    value::{Site, Value},
};
use crate::syntax::{is_forward, is_upper, last_name, peel, show};

/// `x.reshape(..)`, or `Tensor::reshape(x, ..)`.
pub struct Invocation<'e> {
    pub method: &'e Ident,
    pub name: String,
    pub receiver: &'e Expr,
    pub arguments: Vec<&'e Expr>,
    pub site: Site,
}

impl<'e> Invocation<'e> {
    pub fn of_method(call: &'e ExprMethodCall) -> Self {
        Self {
            method: &call.method,
            name: call.method.to_string(),
            receiver: &call.receiver,
            arguments: call.args.iter().collect(),
            site: Site::of(call),
        }
    }

    /// A function of a type, if it is known as a method.
    pub fn of_path(call: &'e ExprCall, function: &'e ExprPath) -> Option<Self> {
        let mut segments = function.path.segments.iter().rev();
        let method = &segments.next()?.ident;
        let is_of_type = function.qself.is_some()
            || segments
                .next()
                .is_some_and(|segment| is_upper(&segment.ident));
        let mut arguments = call.args.iter();
        let invocation = Self {
            method,
            name: method.to_string(),
            receiver: arguments.next()?,
            arguments: arguments.collect(),
            site: Site::of(call),
        };
        (is_of_type && invocation.is_known()).then_some(invocation)
    }

    fn is_known(&self) -> bool {
        is_forward(self.method) || Method::of(self) != Method::Unknown
    }

    pub fn place(&self) -> Span {
        self.method.span()
    }

    /// `.reshape(..)`
    fn text(&self) -> String {
        format!(".{}(..)", self.name)
    }
}

impl Flow<'_> {
    pub fn method(&mut self, call: &Invocation) -> Value {
        let method = Method::of(call);
        if method == Method::Clones {
            return self.borrowed(call.receiver);
        }
        if self.is_of_module(call.receiver) {
            return self.module_call(call, method);
        }
        if is_forward(call.method) {
            return self.kept_by_layer(call);
        }
        match method {
            Method::Clones | Method::Looks => {
                self.borrowed(call.receiver);
                self.operands(call.arguments.iter().copied());
                Value::NOTHING
            }
            Method::Views => self.viewed(call),
            Method::Detaches => self.viewed(call).detached(),
            Method::MakesLeaf => {
                let receiver = self.expr(call.receiver);
                let leaf = receiver.whole().join(self.make_at(call.site));
                let text = format!("{}.{}()", show(call.receiver), call.name);
                self.hold(&leaf, Who::Leaf, &text, call.place());
                leaf
            }
            Method::GivesConstant => {
                self.receiver_and_arguments(call);
                self.make_at(call.site).detached()
            }
            Method::Frees | Method::Keeps | Method::Multiplies | Method::Divides => {
                let operands = self.receiver_and_arguments(call);
                self.kept_by_operation(call, method, &operands);
                self.result_of(&operands, call.site)
            }
            Method::HandsOn(hands) => self.handed_on(call, hands),
            Method::Adds => self.added(call),
            Method::Unknown => self.unknown_method(call),
        }
    }

    fn viewed(&mut self, call: &Invocation) -> Value {
        let receiver = self.expr(call.receiver);
        self.wait(receiver);
        self.operands(call.arguments.iter().copied());
        let view = self.go_on().whole();
        if is_in_pieces(&call.name) {
            self.hold(&view, Who::Pieces, &call.text(), call.place());
        }
        view
    }

    /// A layer keeps its inputs for the gradients of its parameters.
    fn kept_by_layer(&mut self, call: &Invocation) -> Value {
        let operands = self.receiver_and_arguments(call);
        for operand in &operands {
            self.hold(operand, Who::Layer, &call.text(), call.place());
        }
        self.make_at(call.site)
    }

    /// An operation keeps its operands if there is a gradient to be computed.
    fn kept_by_operation(&mut self, call: &Invocation, method: Method, operands: &[Value]) {
        let (text, place) = (call.text(), call.place());
        match method {
            Method::Multiplies => self.product(operands, &text, place),
            Method::Divides => self.quotient(operands, &text, place),
            Method::Keeps if operands.iter().any(Value::has_gradient) => {
                for operand in operands {
                    self.hold(operand, Who::Operation, &text, place);
                }
            }
            _ => {}
        }
    }

    fn receiver_and_arguments(&mut self, call: &Invocation) -> Vec<Value> {
        let arguments = call.arguments.iter().copied();
        self.operands(std::iter::once(call.receiver).chain(arguments))
    }

    /// A method of the module, or of one of its layers.
    fn module_call(&mut self, call: &Invocation, method: Method) -> Value {
        let module = self.borrowed(call.receiver);
        let arguments = self.operands(call.arguments.iter().copied());
        let text = format!("{}.{}(..)", show(call.receiver), call.name);
        if is_forward(call.method) {
            for argument in &arguments {
                self.hold(argument, Who::Layer, &text, call.place());
            }
            return self.make_at(call.site);
        }
        // Out of a field, only what can be copied can be taken, which is no tensor.
        let is_number = is_of_numbers(&call.name) && matches!(peel(call.receiver), Expr::Field(_));
        if is_number && arguments.iter().all(Value::is_nothing) {
            return Value::NOTHING;
        }
        // A parameter, or a layer: what is not called has no tensor of its own.
        match method {
            Method::HandsOn(_) | Method::Views | Method::Detaches => {
                self.reference_into(call, module)
            }
            _ => {
                let given = self.opaque(call.site, arguments, &text, call.place());
                self.reference_into(call, given)
            }
        }
    }

    /// It may take the tensor or look at it, and clone what it looks at, and give any of it back.
    fn unknown_method(&mut self, call: &Invocation) -> Value {
        let receiver = self.borrowed(call.receiver);
        self.wait(receiver);
        let mut values = self.operands(call.arguments.iter().copied());
        let receiver = self.go_on();
        if is_of_numbers(&call.name)
            && receiver.is_nothing()
            && values.iter().all(Value::is_nothing)
        {
            return Value::NOTHING;
        }
        // And it may put them into the receiver.
        if let Some(place) = self.place(call.receiver) {
            let added = values
                .iter()
                .fold(receiver.clone(), |all, value| all.join(value.whole()));
            if added.buffers() != receiver.buffers() {
                self.put(&place, added);
            }
        }
        values.push(receiver);
        let given = self.opaque(call.site, values, &call.text(), call.place());
        self.reference_into(call, given)
    }

    /// What a call gives that nobody knows: it may keep what it is given, give it back, or put it where it is led into.
    pub fn opaque(&mut self, site: Site, given: Vec<Value>, text: &str, place: Span) -> Value {
        let holders = self.holders_of(&given);
        for value in &given {
            self.hold(value, Who::Unknown, text, place);
        }
        self.given_back(site, given, &holders)
    }

    /// A tensor that may be one of those that were given for it, which these have held before. What is of the module is not
    /// among them: it is a layer, or comes with one.
    pub fn given_back(&mut self, site: Site, given: Vec<Value>, holders: &[Holder]) -> Value {
        let mut given: Vec<Value> = given
            .into_iter()
            .filter(|value| self.lent_by(value) != Some(Who::Module))
            .collect();
        let made = self.make_at(site);
        // In a loop, it may be given what it gave before.
        for value in &mut given {
            value.age(site);
        }
        let given = join_all(given);
        if let Some(state) = &mut self.state {
            state.may_be(&made, &given);
            let holders = holders.iter().filter(|holder| holder.who != Who::Module);
            holders.for_each(|holder| state.hold(&made, holder));
        }
        let into = given.leads_into();
        self.write_into(&into, &made.clone().join(given));
        made.leading_into(into)
    }

    /// With a method such as `iter_mut`, what it gives is a mutable reference into the receiver's variable.
    pub fn reference_into(&self, call: &Invocation, value: Value) -> Value {
        match self.place(call.receiver) {
            Some(place) if gives_mutable(&call.name) => value.leading_into([place.variable]),
            _ => value,
        }
    }
}

fn gives_mutable(name: &str) -> bool {
    name.ends_with("_mut")
        || name.starts_with("get_or_insert")
        || matches!(name, "by_ref" | "entry" | "insert" | "lock" | "write")
}

/// Whether a function is one of these of `std::mem`.
pub fn is_of_mem(path: &Path) -> bool {
    let mut segments = path.segments.iter().rev().skip(1);
    segments
        .next()
        .is_some_and(|segment| segment.ident == "mem")
        && matches!(last_name(path).as_str(), "replace" | "swap" | "take")
}

/// The words of a call, for messages.
pub fn text_of(function: &Expr) -> (String, Span) {
    (format!("{}(..)", show(function)), function.span())
}
