//! The rewritten call of an annotated field.

use proc_macro2::Span;
use quote::format_ident;
use syn::{
    ClosureModifiers, Expr, ExprCall, ExprClosure, ExprMethodCall, ExprPath, ExprReference,
    ExprTuple, ExprUnary, Ident, Member, Pat, PatIdent, PatTuple, Path, ReturnType, Token, UnOp,
    punctuated::Punctuated, spanned::Spanned, token::Paren,
};

use super::{hoist::Inputs, value::Layer, walk::Walk};
use crate::syntax::peel;

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
    pub fn checkpointed(&mut self, call: &ExprMethodCall, layer: &Layer) -> Expr {
        self.calls += 1;
        self.check_async();
        let mut call = call.clone();
        let span = call.method.span();
        let mut inputs = Inputs::of(&mut call.args, &self.scopes, self.errors);
        let name = inputs.layer_name(name_of(&call.receiver), span);
        let (exprs, names) = (inputs.exprs, inputs.names);

        let arguments = [
            self.options(layer, span),
            module(&call.receiver, layer.depth),
            tuple(exprs, call.paren_token),
            closure(&name, names, &call, span),
        ];
        Expr::Call(ExprCall {
            attrs: call.attrs,
            func: Box::new(self.runtime("checkpoint_with", span)),
            // An error about the call as a whole stands under the name of the method.
            paren_token: Paren(span),
            args: arguments.into_iter().collect(),
        })
    }

    /// `Self::ATTENTION_CHECKPOINT_APPLIED_BY_REMAT_FORWARD`
    fn options(&self, layer: &Layer, span: Span) -> Expr {
        let mut path = Path::from(Ident::from(Token![Self](span)));
        let constant = &self.table.rows[layer.row].constant;
        path.segments
            .push(format_ident!("{constant}", span = span).into());
        path_expr(path)
    }

    /// `::remat::name`, at the place of the call.
    fn runtime(&self, name: &str, span: Span) -> Expr {
        let mut path = self.table.krate.clone();
        path.leading_colon = path.leading_colon.map(|_| Token![::](span));
        for (index, segment) in path.segments.iter_mut().enumerate() {
            // What `$crate` means hangs on its span.
            if index == 0 && segment.ident != "$crate" {
                segment.ident.set_span(span);
            } else if index > 0 {
                // Written by a macro, or rustc would lint the path as longer than it has to be.
                segment.ident.set_span(span.resolved_at(Span::call_site()));
            }
        }
        path.segments.push(Ident::new(name, span).into());
        path_expr(path)
    }

    /// In the backward pass nobody would poll a future.
    fn check_async(&mut self) {
        let Some((token, reported @ false)) = self.asyncs.last_mut() else {
            return;
        };
        *reported = true;
        self.errors.at(
            token,
            &"a checkpointed layer runs again in the backward pass, which is not `async`\
              \n\nhelp: call it in a plain `fn` or block, and await outside of that",
        );
    }
}

/// A reference to the layer: its place is borrowed, a reference handed on.
fn module(receiver: &Expr, depth: usize) -> Expr {
    let receiver = peel(receiver).clone();
    let span = receiver.span();
    if depth == 0 {
        return Expr::Reference(ExprReference {
            attrs: Vec::new(),
            and_token: Token![&](span),
            mutability: None,
            expr: Box::new(receiver),
        });
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
fn closure(layer: &Ident, inputs: Vec<Ident>, call: &ExprMethodCall, span: Span) -> Expr {
    // At the place of the argument itself, rustc would suggest to write `ref` there.
    let place = call.paren_token.span.join();
    let parameter = |mut input: Ident| {
        input.set_span(place.resolved_at(input.span()));
        name_pat(input)
    };
    let inputs = Pat::Tuple(PatTuple {
        attrs: Vec::new(),
        paren_token: Paren(span),
        elems: listed(inputs.into_iter().map(parameter)),
    });
    Expr::Closure(ExprClosure {
        attrs: Vec::new(),
        lifetimes: None,
        modifiers: ClosureModifiers::default(),
        constness: None,
        asyncness: None,
        capture: None,
        inputs_begin: Token![|](span),
        inputs: [name_pat(layer.clone()), inputs].into_iter().collect(),
        inputs_end: Token![|](span),
        output: ReturnType::Default,
        body: Box::new(inner_call(call, layer)),
    })
}

/// The user's call, of the closure's parameter.
fn inner_call(call: &ExprMethodCall, layer: &Ident) -> Expr {
    Expr::MethodCall(ExprMethodCall {
        attrs: Vec::new(),
        receiver: Box::new(path_expr(layer.clone().into())),
        ..call.clone()
    })
}

/// The inputs. An error about one of them stands under it, or else under the arguments of the call.
fn tuple(elements: Vec<Expr>, parentheses: Paren) -> Expr {
    Expr::Tuple(ExprTuple {
        attrs: Vec::new(),
        paren_token: parentheses,
        elems: listed(elements.into_iter()),
    })
}

/// The elements of a tuple: a single one is followed by a comma.
fn listed<T>(elements: impl ExactSizeIterator<Item = T>) -> Punctuated<T, Token![,]> {
    let single = elements.len() == 1;
    let mut list: Punctuated<T, Token![,]> = elements.collect();
    if single {
        list.push_punct(<Token![,]>::default());
    }
    list
}

fn name_pat(name: Ident) -> Pat {
    Pat::Ident(PatIdent {
        attrs: Vec::new(),
        by_ref: None,
        mutability: None,
        ident: name,
        subpat: None,
    })
}

fn path_expr(path: Path) -> Expr {
    Expr::Path(ExprPath {
        attrs: Vec::new(),
        qself: None,
        path,
    })
}
