//! Method calls: what they do to the layers in their receiver.

use quote::ToTokens;
use syn::{Expr, ExprClosure, ExprMethodCall};

use super::{
    adapter::{Adapter, Each, Gives},
    escape::Escape,
    sequence::is_change,
    value::{Derived, Layer, Value},
    walk::Walk,
};
use crate::syntax::{is_forward, peel};

impl Walk<'_> {
    pub fn method_call(&mut self, expr: &mut Expr) -> Value {
        let Expr::MethodCall(call) = expr else {
            return Value::Other;
        };
        let receiver = self.expr(&mut call.receiver);
        if is_change(&call.method.to_string()) {
            self.changed(&call.receiver, &call.to_token_stream());
        }
        if self.fold(expr, &receiver) {
            return Value::Other;
        }
        let Expr::MethodCall(call) = expr else {
            return Value::Other;
        };
        if !is_forward(&call.method) {
            return self.adapt(call, receiver);
        }
        if let Value::Layer(layer) = &receiver
            && self.is_attention(layer.row)
        {
            self.check_attention(call, layer);
        }
        self.arguments(call);
        match receiver {
            Value::Layer(layer) => {
                if let Some(rewritten) = self.layer_call(call, &layer) {
                    *expr = rewritten;
                }
            }
            Value::Derived(derived) => self.derived_call(&derived),
            _ => {}
        }
        Value::Other
    }

    /// What becomes of the call of a layer. In a segment it stays as it is.
    fn layer_call(&mut self, call: &ExprMethodCall, layer: &Layer) -> Option<Expr> {
        if self.called_in_segment(layer.segment) {
            return None;
        }
        if self.is_grouped(layer.row) {
            self.not_a_sequence(&layer.mention, layer.row);
            return None;
        }
        if self.is_attention(layer.row) {
            return self.rewritten_attention(call, layer);
        }
        if self.is_inplace(layer.row) {
            return self.rewritten_inplace(call, layer);
        }
        Some(self.rewritten_call(call, layer))
    }

    /// The call of something that came out of a layer, or may be one.
    fn derived_call(&mut self, derived: &Derived) {
        if self.called_in_segment(derived.segment) {
            return;
        }
        if self.is_grouped(derived.row) {
            self.not_a_sequence(&derived.mention, derived.row);
        } else {
            self.lost(derived);
        }
    }

    /// Whether what is called is a layer of a loop that is a segment as a whole.
    fn called_in_segment(&mut self, segment: Option<usize>) -> bool {
        let segment = segment.and_then(|index| self.segments.get_mut(index));
        match segment {
            Some(segment) => segment.called = true,
            None => return false,
        }
        true
    }

    /// A method that is not `forward`.
    fn adapt(&mut self, call: &mut ExprMethodCall, receiver: Value) -> Value {
        match receiver {
            Value::Layer(_) | Value::Items(_) => self.adapt_layers(call, receiver),
            Value::Whole { .. } => self.adapt_whole(call, receiver),
            receiver => self.adapt_other(call, receiver),
        }
    }

    fn adapt_layers(&mut self, call: &mut ExprMethodCall, layers: Value) -> Value {
        let method = call.method.to_string();
        match Adapter::of(&method) {
            Adapter::Same => self.with_arguments(call, layers),
            Adapter::Borrow => self.with_arguments(call, layers.borrowed()),
            Adapter::Own => self.with_arguments(call, layers.place()),
            Adapter::Item => self.with_arguments(call, layers.unwrapped()),
            Adapter::Enumerate => {
                let pair = Value::tuple(vec![Value::Other, layers.item()]);
                self.with_arguments(call, Value::items(pair))
            }
            Adapter::Zip => self.zip(call, layers),
            Adapter::Chain => self.chain(call, layers),
            Adapter::SplitAt => {
                let slice = layers.borrowed();
                self.with_arguments(call, Value::tuple(vec![slice.clone(), slice]))
            }
            Adapter::SplitFirst => {
                let slice = layers.borrowed();
                let pair = Value::tuple(vec![slice.clone().item(), slice]);
                self.with_arguments(call, Value::items(pair))
            }
            Adapter::Each(each) => self.each(call, layers, &each),
            Adapter::Leak => {
                self.escape(&layers, &Escape::Through(method));
                self.with_arguments(call, Value::Other)
            }
            Adapter::Unknown => self.unknown(call, &layers.derived(&format!("`{method}`"))),
        }
    }

    /// The struct itself: a copy of it or a reference to it has the same annotations.
    fn adapt_whole(&mut self, call: &mut ExprMethodCall, whole: Value) -> Value {
        match call.method.to_string().as_str() {
            "clone" => self.with_arguments(call, whole.place()),
            "as_ref" | "as_mut" | "borrow" | "deref" => self.with_arguments(call, whole.borrowed()),
            _ => self.adapt_other(call, Value::Other),
        }
    }

    /// A receiver with no layers, or none that can be followed. Layers may come in through the argument.
    fn adapt_other(&mut self, call: &mut ExprMethodCall, receiver: Value) -> Value {
        match Adapter::of(&call.method.to_string()) {
            Adapter::Zip => self.zip(call, receiver),
            Adapter::Each(Each {
                gives: Gives::Results,
                ..
            }) => Value::items(self.results(call, &receiver)),
            _ => self.unknown(call, &receiver.derived(&format!("`{}`", call.method))),
        }
    }

    fn zip(&mut self, call: &mut ExprMethodCall, receiver: Value) -> Value {
        let others = self
            .exprs(&mut call.args)
            .into_iter()
            .next()
            .unwrap_or(Value::Other);
        Value::items(Value::tuple(vec![receiver.item(), others.item()]))
    }

    fn chain(&mut self, call: &mut ExprMethodCall, layers: Value) -> Value {
        let others = self
            .exprs(&mut call.args)
            .into_iter()
            .next()
            .unwrap_or(Value::Other);
        if layers.same(&others) {
            return layers;
        }
        self.escape_all(&[layers, others], &Escape::Chain)
    }

    /// A method that calls a closure with layers: its last argument.
    fn each(&mut self, call: &mut ExprMethodCall, layers: Value, each: &Each) -> Value {
        let item = layers.clone().item();
        let item = if each.by_ref { item.referenced() } else { item };
        let method = call.method.to_string();
        let mut arguments = call.args.iter_mut();
        let Some(last) = arguments.next_back() else {
            return Value::Other;
        };
        for argument in arguments {
            self.argument(argument, &method, &Value::Other);
        }
        let Some(closure) = as_closure(last) else {
            return self.each_by_function(last, &layers, &method);
        };
        let result = self.closure(closure, &item);
        match each.gives {
            Gives::Layers => layers,
            Gives::Results => Value::items(result),
            Gives::Value => {
                self.escape(&result, &Escape::Closure);
                Value::Other
            }
        }
    }

    /// `.map(Linear::forward)`, or a method of the layer that has the name of an iterator's: burn's `.map(&mut mapper)`.
    fn each_by_function(&mut self, function: &mut Expr, layers: &Value, method: &str) -> Value {
        self.argument(function, method, &Value::Other);
        match peel(function) {
            Expr::Path(_) => self.escape_all(
                std::slice::from_ref(layers),
                &Escape::Function(method.to_string()),
            ),
            _ => layers.clone().derived(&format!("`{method}`")),
        }
    }

    /// What closures return to a `.map(..)` over something else.
    fn results(&mut self, call: &mut ExprMethodCall, receiver: &Value) -> Value {
        let mut results = Value::Other;
        for argument in &mut call.args {
            results = if let Some(closure) = as_closure(argument) {
                self.closure(closure, &receiver.clone().item())
            } else {
                self.expr_into(argument, &Escape::MethodArgument(call.method.to_string()))
            };
        }
        results
    }

    /// A method that remat does not know, with `result` as what it may give to closures and to its caller.
    fn unknown(&mut self, call: &mut ExprMethodCall, result: &Value) -> Value {
        let method = call.method.to_string();
        for argument in &mut call.args {
            self.argument(argument, &method, result);
        }
        result.clone()
    }

    fn with_arguments(&mut self, call: &mut ExprMethodCall, result: Value) -> Value {
        self.arguments(call);
        result
    }

    fn arguments(&mut self, call: &mut ExprMethodCall) {
        let method = call.method.to_string();
        for argument in &mut call.args {
            self.argument(argument, &method, &Value::Other);
        }
    }

    /// An argument of a method; if it is a closure, its last parameter is bound to `last`.
    pub fn argument(&mut self, argument: &mut Expr, method: &str, last: &Value) {
        let (value, escape) = match as_closure(argument) {
            Some(closure) => (self.closure(closure, last), Escape::Closure),
            None => (
                self.expr(argument),
                Escape::MethodArgument(method.to_string()),
            ),
        };
        self.escape(&value, &escape);
    }
}

fn as_closure(expr: &mut Expr) -> Option<&mut ExprClosure> {
    match expr {
        Expr::Closure(closure) => Some(closure),
        Expr::Paren(paren) => as_closure(&mut paren.expr),
        Expr::Group(group) => as_closure(&mut group.expr),
        _ => None,
    }
}
