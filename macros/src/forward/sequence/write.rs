//! The call that a loop becomes.

use proc_macro2::Span;
use syn::{
    AttrStyle, Attribute, Block, Expr, ExprCall, ExprClosure, ExprForLoop, ExprMethodCall, Ident,
    Pat, Stmt, Token,
    spanned::Spanned,
    token::{Brace, Paren},
};

use super::{
    super::{
        build::{
            assign, block, call, clone_function, closure, discard, let_reference, mutable_pat,
            name_expr, name_pat, reference, tuple, tuple_pat,
        },
        walk::Walk,
    },
    exits::exits,
    form::Sequence,
    segment::{Kind, Segment, Variable},
};
use crate::strategy::Strategy;

impl Walk<'_> {
    // Input:
    //     for layer in &self.layers {
    //         x = layer.forward(x, mask.clone());
    //     }
    //
    // Output:
    //     (x,) = ::remat::checkpoint_sequence_with(
    //         Self::LAYERS_CHECKPOINT_APPLIED_BY_REMAT_FORWARD,
    //         &self.layers,
    //         (x,),
    //         (::core::clone::Clone::clone(&mask),),
    //         |_, layer, (mut x,), (mask,)| {
    //             x = layer.forward(x, mask.clone());
    //             (x,)
    //         },
    //     );
    pub fn rewritten_loop(
        &mut self,
        each: &ExprForLoop,
        sequence: Sequence,
        row: usize,
        segment: &Segment,
    ) -> Expr {
        self.check_segment(segment, row);
        self.check_exits(&each.body, row);
        let span = each.for_token.span;
        let carried: Vec<&Variable> = segment.carried().collect();
        let names = |at: Span| {
            carried
                .iter()
                .map(move |variable| placed(&variable.name, at))
        };
        let values = || tuple_of(carried.iter().map(|variable| variable.name.clone()), span);

        let inputs = [
            sequence.index,
            sequence.layer.clone(),
            tuple_pat(names(span).map(mutable_pat).collect(), span),
            shared_pat(segment, span),
        ];
        let (outer, inner) = split_attributes(&each.attrs);
        let step = |body: &Block| {
            let body = block(inner.clone(), loop_body(body, segment, values()));
            closure(inputs.clone(), body, span)
        };
        let last = self.last_of_loop(&each.body, &sequence.layer, segment, row);
        let steps = [Some(step(&each.body)), last.as_ref().map(step)];
        let call = self.sequence_call(row, sequence.layers, values(), segment, steps);
        let statement = if carried.is_empty() {
            call
        } else {
            assign(values(), call, span)
        };
        let names = carried.iter().map(|variable| &variable.name);
        let unread = names.filter(|name| !self.is_read_later(name));
        let unread: Vec<Ident> = unread.cloned().collect();
        if outer.is_empty() && unread.is_empty() {
            return statement;
        }
        in_block(outer, statement, unread, each.body.brace_token)
    }

    // Input:
    //     self.layers.iter().fold(x, |x, layer| layer.forward(x, mask.clone()))
    //
    // Output:
    //     ::remat::checkpoint_sequence_with(
    //         Self::LAYERS_CHECKPOINT_APPLIED_BY_REMAT_FORWARD,
    //         &self.layers,
    //         x,
    //         (::core::clone::Clone::clone(&mask),),
    //         |_, layer, x, (mask,)| layer.forward(x, mask.clone()),
    //     )
    pub fn rewritten_fold(
        &mut self,
        fold: &ExprMethodCall,
        mut function: ExprClosure,
        sequence: Sequence,
        row: usize,
        segment: &Segment,
    ) -> Expr {
        self.check_segment(segment, row);
        self.check_fold(segment);
        let span = fold.method.span();
        let shared = shared_pat(segment, span);
        let accumulator = function.inputs.first().cloned();
        let last = self.last_of_fold(&function.body, &sequence.layer, row);
        function.inputs = [sequence.index, sequence.layer]
            .into_iter()
            .chain(accumulator)
            .chain([shared])
            .collect();
        // There is nothing that it could capture.
        function.capture = None;
        let step = |body: Expr| {
            let body = Box::new(fold_body(body, references(segment), span));
            ExprClosure {
                body,
                ..function.clone()
            }
        };
        let steps = [Some(step((*function.body).clone())), last.map(step)];
        let init = fold.args[0].clone();
        let call = self.sequence_call(row, sequence.layers, init, segment, steps);
        match call {
            Expr::Call(call) => Expr::Call(ExprCall {
                attrs: fold.attrs.clone(),
                ..call
            }),
            call => call,
        }
    }

    fn sequence_call(
        &mut self,
        row: usize,
        layers: Expr,
        carried: Expr,
        segment: &Segment,
        [step, last_again]: [Option<ExprClosure>; 2],
    ) -> Expr {
        self.applied(Strategy::CheckpointSequence);
        self.check_async(Strategy::CheckpointSequence);
        let place = step.as_ref().map(|step| step.inputs_begin.span);
        let span = place.unwrap_or_else(Span::call_site);
        let shared = segment.shared().map(shared_value).collect();
        let function = Strategy::CheckpointSequence.function(last_again.is_some());
        let steps = step.into_iter().chain(last_again).map(Expr::Closure);
        let options = self.options(row, span);
        let arguments = [options, layers, carried, tuple(shared, Paren(span))];
        let function = self.runtime(&function, span);
        call(function, arguments.into_iter().chain(steps), span)
    }

    /// Reports what leaves the loop before the body's end.
    fn check_exits(&mut self, body: &Block, row: usize) {
        let field = self.field_name(row);
        for exit in exits(body) {
            let word = exit.word;
            self.errors.at(
                &exit.tokens,
                &format_args!(
                    "`{word}` would leave the body in the middle, and the layers of `{field}` run again in groups, \
                     each to its end\n\nhelp: move it out of the loop or into the layer; a part of the body that is \
                     not for every layer goes into an `if`"
                ),
            );
        }
    }

    /// Reports assignments to variables outside of the closure.
    fn check_fold(&mut self, segment: &Segment) {
        for Variable { name, .. } in segment.carried() {
            self.errors.at(
                name,
                &format_args!(
                    "`{name}` is changed for every layer, but what is carried from layer to layer is the closure's \
                     first parameter\n\nhelp: make `{name}` a part of it: `.fold((x, {name}), |(x, {name}), layer| ..)`"
                ),
            );
        }
    }
}

/// `mask`, which the closure gets a copy of.
fn shared_value(variable: &Variable) -> Expr {
    let span = variable.name.span();
    let name = name_expr(variable.name.clone());
    let borrowed = match variable.kind {
        Kind::Reference => name,
        Kind::Value | Kind::Module => reference(name, span),
    };
    call(clone_function(span), [borrowed], span)
}

fn shared_pat(segment: &Segment, span: Span) -> Pat {
    let names = segment
        .shared()
        .map(|variable| placed(&variable.name, span));
    tuple_pat(names.map(name_pat).collect(), span)
}

/// `let mask = &mask;` for what the user's code knows as a reference.
fn references(segment: &Segment) -> Vec<Stmt> {
    let references = segment
        .shared()
        .filter(|variable| variable.kind == Kind::Reference);
    references
        .map(|variable| let_reference(&variable.name))
        .collect()
}

/// The body of a loop as that of a closure, which gives back what it carries on.
fn loop_body(body: &Block, segment: &Segment, carried: Expr) -> Block {
    let mut stmts = references(segment);
    let overwritten = segment.carried().filter(|variable| variable.overwritten);
    stmts.extend(overwritten.map(|variable| discard(variable.name.clone())));
    stmts.extend(body.stmts.iter().cloned());
    if let Some(last) = stmts.last_mut() {
        end(last);
    }
    if segment.carried().next().is_some() {
        stmts.push(Stmt::Expr(carried, None));
    }
    Block {
        brace_token: body.brace_token,
        stmts,
    }
}

/// The body of a fold's closure with statements in front of it.
fn fold_body(body: Expr, mut stmts: Vec<Stmt>, span: Span) -> Expr {
    match body {
        body if stmts.is_empty() => body,
        Expr::Block(mut body) if body.label.is_none() => {
            stmts.append(&mut body.block.stmts);
            body.block.stmts = stmts;
            Expr::Block(body)
        }
        body => {
            stmts.push(Stmt::Expr(body, None));
            let brace_token = Brace(span);
            block(Vec::new(), Block { brace_token, stmts })
        }
    }
}

/// Makes a statement of the last expression of a block.
fn end(last: &mut Stmt) {
    match last {
        Stmt::Expr(expr, semi @ None) if !ends_itself(expr) => {
            *semi = Some(Token![;](expr.span()));
        }
        Stmt::Macro(call) if call.semi_token.is_none() => {
            call.semi_token = Some(Token![;](call.span()));
        }
        _ => {}
    }
}

/// Whether the expression is a statement without a semicolon.
pub fn ends_itself(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Block(_)
            | Expr::ForLoop(_)
            | Expr::If(_)
            | Expr::Loop(_)
            | Expr::Match(_)
            | Expr::Unsafe(_)
            | Expr::While(_)
    )
}

/// The same name at another place: at its own, rustc would suggest to write `mut` there.
fn placed(name: &Ident, place: Span) -> Ident {
    let mut name = name.clone();
    name.set_span(place.resolved_at(name.span()));
    name
}

fn tuple_of(names: impl Iterator<Item = Ident>, span: Span) -> Expr {
    tuple(names.map(name_expr).collect(), Paren(span))
}

/// `{ expr; _ = &n; }`: with attributes, and with a look at what nothing looks at after the loop. In the loop, the
/// user's code did.
fn in_block(attrs: Vec<Attribute>, expr: Expr, unread: Vec<Ident>, brace_token: Brace) -> Expr {
    let semi = Token![;](brace_token.span.join());
    let mut stmts = vec![Stmt::Expr(expr, Some(semi))];
    stmts.extend(unread.into_iter().map(discard));
    block(attrs, Block { brace_token, stmts })
}

fn split_attributes(attrs: &[Attribute]) -> (Vec<Attribute>, Vec<Attribute>) {
    let is_outer = |attr: &Attribute| matches!(attr.style, AttrStyle::Outer);
    attrs.iter().cloned().partition(is_outer)
}
