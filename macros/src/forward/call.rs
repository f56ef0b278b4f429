//! The rewritten call of an annotated field.

use proc_macro2::Span;
use syn::{
    Attribute, Expr, ExprCall, ExprMethodCall, ExprUnary, Ident, Member, Token, UnOp,
    spanned::Spanned, token::Paren,
};

use super::{
    build::{closure, name_expr, name_pat, reference, tuple, tuple_pat},
    hoist::Inputs,
    tail::name_without_tail,
    value::Layer,
    walk::Walk,
};
use crate::{strategy::Strategy, syntax::peel, table::Row};

/// Why a call that runs once knows nothing but its inputs: begins messages.
pub fn in_a_function(strategy: Strategy) -> String {
    let attribute = strategy.attribute();
    format!("a layer with `#[{attribute}]` is called in a function of its own")
}

impl Walk<'_> {
    /// The call of an annotated layer, written with the runtime's function.
    // Input:
    //     self.attention.forward(MhaInput::self_attn(h).mask_pad(mask))
    //
    // Output:
    //     ::remat::checkpoint_with(
    //         Self::ATTENTION_CHECKPOINT_APPLIED_BY_REMAT_FORWARD,
    //         &self.attention,
    //         (h, mask),
    //         |attention, (h, mask)| attention.forward(MhaInput::self_attn(h).mask_pad(mask)),
    //     )
    //
    // With `#[recompute(cheap)]`, `recompute_with`; with `#[frozen_stats]`, `frozen_stats_with`; with `#[quantize(..)]`
    // alone, `quantize`. With `early_stop`, `checkpoint_early_stop` and one more closure, which calls
    // `forward_without_tail`.
    pub fn rewritten_call(&mut self, call: &ExprMethodCall, layer: &Layer) -> Expr {
        let row = &self.table.rows[layer.row];
        self.applied(row.strategy);
        self.check_async(row.strategy);
        let mut call = call.clone();
        let span = call.method.span();
        self.called(layer.row, span);
        let mut inputs = Inputs::of(&mut call.args, row.strategy, &self.scopes, self.errors);
        let name = inputs.layer_name(name_of(&call.receiver), span);
        let (exprs, names) = (inputs.exprs, inputs.names);

        let mut arguments = vec![
            self.options(layer.row, span),
            module(&call.receiver, layer.depth),
            // An error about one of them stands under it, or else under the arguments of the call.
            tuple(exprs, call.paren_token),
            run(&name, names.clone(), &call, span),
        ];
        if let Some(place) = row.early_stop {
            call.method = name_without_tail(&call.method, place);
            arguments.push(run(&name, names, &call, span));
        }
        self.call_of_runtime(call.attrs, row, arguments, span)
    }

    /// `::remat::checkpoint_with(..)` in place of a call with these attributes, whose method is at this place.
    pub fn call_of_runtime(
        &self,
        attrs: Vec<Attribute>,
        row: &Row,
        arguments: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let function = row.strategy.function(row.early_stop.is_some());
        Expr::Call(ExprCall {
            attrs,
            func: Box::new(self.runtime(&function, span)),
            // An error about the call as a whole stands under the name of the method.
            paren_token: Paren(span),
            args: arguments.into_iter().collect(),
        })
    }

    /// Notes that a call was rewritten.
    pub fn applied(&mut self, strategy: Strategy) {
        self.calls += 1;
        self.again |= strategy.runs_again();
    }

    /// In the backward pass, or in a function of the call's own, nobody would poll a future.
    pub fn check_async(&mut self, strategy: Strategy) {
        let Some((token, reported @ false)) = self.asyncs.last_mut() else {
            return;
        };
        *reported = true;
        let place = if strategy.runs_again() {
            "an annotated layer runs again in the backward pass".to_string()
        } else {
            in_a_function(strategy)
        };
        self.errors.at(
            token,
            &format_args!(
                "{place}, which is not `async`\n\nhelp: call it in a plain `fn` or block, and await outside of that"
            ),
        );
    }
}

/// A reference to the layer: its place is borrowed, a reference handed on.
pub fn module(receiver: &Expr, depth: usize) -> Expr {
    let receiver = peel(receiver).clone();
    let span = receiver.span();
    if depth == 0 {
        return reference(receiver, span);
    }
    (1..depth).fold(receiver, |receiver, _| {
        Expr::Unary(ExprUnary {
            attrs: Vec::new(),
            op: UnOp::Deref(Token![*](span)),
            expr: Box::new(receiver),
        })
    })
}

/// What the user calls the layer: the last name in `self.attention`, `self.attention.as_ref()?` or `*layer`.
/// An element of `self.blocks` has no name of its own.
fn name_of(receiver: &Expr) -> Option<&Ident> {
    match peel(receiver) {
        Expr::Path(path) => path.path.get_ident().filter(|name| *name != "self"),
        Expr::Field(field) => match &field.member {
            Member::Named(name) => Some(name),
            Member::Unnamed(_) => None,
        },
        Expr::MethodCall(call) => match call.method.to_string().as_str() {
            "as_ref" | "as_deref" | "unwrap" | "expect" | "clone" => name_of(&call.receiver),
            _ => None,
        },
        Expr::Unary(unary) => name_of(&unary.expr),
        Expr::Reference(reference) => name_of(&reference.expr),
        Expr::Try(attempt) => name_of(&attempt.expr),
        _ => None,
    }
}

/// `|attention, (h, mask)| attention.forward(..)`
fn run(layer: &Ident, inputs: Vec<Ident>, call: &ExprMethodCall, span: Span) -> Expr {
    // At the place of the argument itself, rustc would suggest to write `ref` there.
    let place = call.paren_token.span.join();
    let parameter = |mut input: Ident| {
        input.set_span(place.resolved_at(input.span()));
        name_pat(input)
    };
    let inputs = tuple_pat(inputs.into_iter().map(parameter).collect(), span);
    let parameters = [name_pat(layer.clone()), inputs];
    Expr::Closure(closure(parameters, inner_call(call, layer), span))
}

/// The user's call, of the closure's parameter.
fn inner_call(call: &ExprMethodCall, layer: &Ident) -> Expr {
    Expr::MethodCall(ExprMethodCall {
        attrs: Vec::new(),
        receiver: Box::new(name_expr(layer.clone())),
        ..call.clone()
    })
}
