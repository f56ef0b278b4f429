//! The call of an attention with `#[recompute(attention)]` or `#[autocast(bf16)]`.
//!
//! The runtime has to take the input of the attention apart. The fields of burn's `MhaInput` are private, so it has an
//! input of its own with the same functions, and the call is written with that one. Nothing of the user's runs again:
//! there is no closure, and the arguments are evaluated where they stand.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Block, Expr, ExprMethodCall, Ident, Path, Stmt, spanned::Spanned, token::Brace};

use super::{
    build::{block, let_of_type, runtime_path},
    call::module,
    value::Layer,
    walk::Walk,
};
use crate::syntax::{peel, show};

/// The type of the input, in burn and in the runtime.
const INPUT: &str = "MhaInput";

impl Walk<'_> {
    pub fn is_attention(&self, row: usize) -> bool {
        self.table.rows[row].strategy.takes_attention_apart()
    }

    /// The call of an attention, written with the runtime's function and input. `None` if it cannot be, which is
    /// reported by [`Walk::check_attention`].
    // Input:
    //     self.attention.forward(MhaInput::self_attn(h).mask_pad(mask))
    //
    // Output:
    //     ::remat::recompute_attention_with(
    //         { let _: MhaInput; Self::ATTENTION_RECOMPUTE_APPLIED_BY_REMAT_FORWARD },
    //         &self.attention,
    //         ::remat::nn::MhaInput::self_attn(h).mask_pad(mask),
    //     )
    pub fn rewritten_attention(&mut self, call: &ExprMethodCall, layer: &Layer) -> Option<Expr> {
        let mut input = only_input(call)?.clone();
        let theirs = take_over(constructor(&mut input)?, &self.table.krate)?;
        let row = &self.table.rows[layer.row];
        self.applied(row.strategy);
        let span = call.method.span();
        self.called(layer.row, span);
        let arguments = vec![
            naming(theirs, &self.table.krate, self.options(layer.row, span)),
            module(&call.receiver, layer.depth),
            input,
        ];
        Some(self.call_of_runtime(call.attrs.clone(), row, arguments, span))
    }

    /// Reports a call that cannot be written so, before anything in it is rewritten.
    pub fn check_attention(&mut self, call: &ExprMethodCall, layer: &Layer) {
        let input = only_input(call);
        if input.is_some_and(|input| constructor(&mut input.clone()).is_some()) {
            return;
        }
        let receiver = show(&call.receiver);
        let attribute = self.table.rows[layer.row].strategy.attribute();
        let write = format!("write `{receiver}.forward({INPUT}::self_attn(x))`");
        let (place, message): (&dyn ToTokens, String) = if self.is_part(&call.receiver, layer) {
            let message = format!(
                "`{receiver}` is a part of a layer with `#[{attribute}]`, which runs as a whole\
                 \n\nhelp: call `forward` of the whole layer, or remove `#[{attribute}]`"
            );
            (&call.receiver, message)
        } else if call.method == "forward_cache" {
            let message = format!(
                "`forward_cache` is for inference with a cache, and `#[{attribute}]` is for training\
                \n\nhelp: a call that is not for training belongs in an `impl` without `#[remat::forward]`"
            );
            (&call.method, message)
        } else if let Some(input) = input {
            let message = format!(
                "the input of a layer with `#[{attribute}]` must be written in the call, since the fields of \
                 burn's `{INPUT}` cannot be read\n\nhelp: {write}"
            );
            (input, message)
        } else {
            let message = format!(
                "a layer with `#[{attribute}]` can only be called as `forward`, with one input\n\nhelp: {write}"
            );
            (&call.method, message)
        };
        self.errors.at(place, &message);
    }

    /// Whether this is `self.attention.query`, and not `self.attention`.
    fn is_part(&self, receiver: &Expr, layer: &Layer) -> bool {
        match peel(receiver) {
            Expr::Field(field) => self.table.row_of(&field.member) != Some(layer.row),
            _ => false,
        }
    }
}

/// The input of a plain `forward`.
fn only_input(call: &ExprMethodCall) -> Option<&Expr> {
    let plain = call.method == "forward" && call.turbofish.is_none() && call.args.len() == 1;
    call.args.first().filter(|_| plain)
}

/// The path `MhaInput::self_attn` in `MhaInput::self_attn(h).mask_pad(mask)`.
fn constructor(input: &mut Expr) -> Option<&mut Path> {
    match input {
        Expr::Paren(paren) => constructor(&mut paren.expr),
        Expr::Group(group) => constructor(&mut group.expr),
        Expr::MethodCall(call) => constructor(&mut call.receiver),
        Expr::Call(call) => function(&mut call.func),
        _ => None,
    }
}

/// The path of a function of `MhaInput`.
fn function(function: &mut Expr) -> Option<&mut Path> {
    match function {
        Expr::Paren(paren) => self::function(&mut paren.expr),
        Expr::Group(group) => self::function(&mut group.expr),
        Expr::Path(path) if path.qself.is_none() => {
            let of = path.path.segments.iter().nth_back(1);
            of.is_some_and(|of| of.ident == INPUT)
                .then_some(&mut path.path)
        }
        _ => None,
    }
}

/// Makes a function of the runtime's type out of one of burn's, and gives the path of burn's type as it was.
// Input:
//     attention::MhaInput::self_attn
//
// Output:
//     ::remat::nn::MhaInput::self_attn
//     and attention::MhaInput
fn take_over(function: &mut Path, krate: &Path) -> Option<Path> {
    let name = function.segments.pop()?;
    let colons = function.segments.pop_punct()?;
    let input = function.segments.last()?.clone();
    let place = input.ident.span();
    let mut ours = runtime_path(krate, place);
    // Written by a macro, or rustc would lint the path as longer than it has to be.
    ours.segments
        .push(Ident::new("nn", place.resolved_at(Span::call_site())).into());
    ours.segments.push(input);
    ours.segments.push_punct(colons);
    ours.segments.push_value(name);
    Some(std::mem::replace(function, ours))
}

/// The options, with a look at the user's type: rustc would take the import of a name that is not there any more for
/// unused.
fn naming(theirs: Path, krate: &Path, options: Expr) -> Expr {
    // Written by a macro: a lint about the block would not be about the user's code.
    let place = theirs.span().resolved_at(Span::call_site());
    let mut is_burns = runtime_path(krate, theirs.span());
    for name in ["__private", "IsMhaInput"] {
        is_burns.segments.push(Ident::new(name, place).into());
    }
    let stmts = vec![
        let_of_type(theirs, is_burns, place),
        Stmt::Expr(options, None),
    ];
    let brace_token = Brace(place);
    block(Vec::new(), Block { brace_token, stmts })
}
