//! The last layer of a group with `early_stop`: when the group runs again, nobody reads the value of its output.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Block, Expr, Pat, Stmt};

use super::{
    super::{tail::name_without_tail, walk::Walk},
    segment::Segment,
};
use crate::syntax::{as_ident, is_forward, peel};

impl Walk<'_> {
    /// The body of a loop for the last layer, if the field has `early_stop`.
    // Input:
    //     { x = layer.forward(x, mask.clone()); }
    //
    // Output:
    //     { x = layer.forward_without_tail(x, mask.clone()); }
    pub fn last_of_loop(
        &mut self,
        body: &Block,
        layer: &Pat,
        segment: &Segment,
        row: usize,
    ) -> Option<Block> {
        let place = self.table.rows[row].early_stop?;
        let last =
            without_tail_in_block(body, layer, place).filter(|_| segment.carried().count() == 1);
        if last.is_none() {
            self.no_early_stop(body, row);
        }
        last
    }

    /// The body of a fold's closure for the last layer, if the field has `early_stop`.
    // Input:
    //     layer.forward(x, mask.clone())
    //
    // Output:
    //     layer.forward_without_tail(x, mask.clone())
    pub fn last_of_fold(&mut self, body: &Expr, layer: &Pat, row: usize) -> Option<Expr> {
        let place = self.table.rows[row].early_stop?;
        let last = without_tail(body, layer, place);
        if last.is_none() {
            self.no_early_stop(body, row);
        }
        last
    }

    fn no_early_stop(&mut self, body: &dyn ToTokens, row: usize) {
        let field = self.field_name(row);
        self.errors.at(
            body,
            &format_args!(
                "`{field}` has `early_stop`, and remat cannot see that nothing here reads the value of a layer's \
                 output\n\nhelp: let the body be the call alone: `x = layer.forward(x, ..);` (in a `fold`: \
                 `layer.forward(x, ..)`), or remove `early_stop`"
            ),
        );
    }
}

/// `x = layer.forward(..);` alone.
fn without_tail_in_block(body: &Block, layer: &Pat, place: Span) -> Option<Block> {
    let [Stmt::Expr(Expr::Assign(assign), semi)] = body.stmts.as_slice() else {
        return None;
    };
    as_ident(&assign.left)?;
    let mut assign = assign.clone();
    *assign.right = without_tail(&assign.right, layer, place)?;
    Some(Block {
        brace_token: body.brace_token,
        stmts: vec![Stmt::Expr(Expr::Assign(assign), *semi)],
    })
}

/// The call of the layer, outermost.
fn without_tail(call: &Expr, layer: &Pat, place: Span) -> Option<Expr> {
    if let Expr::Block(block) = call
        && let [Stmt::Expr(call, None)] = block.block.stmts.as_slice()
    {
        return without_tail(call, layer, place);
    }
    let (Expr::MethodCall(call), Pat::Ident(layer)) = (peel(call), layer) else {
        return None;
    };
    let of_layer = as_ident(&call.receiver).is_some_and(|receiver| *receiver == layer.ident);
    if !of_layer || !is_forward(&call.method) {
        return None;
    }
    let mut call = call.clone();
    call.method = name_without_tail(&call.method, place);
    Some(Expr::MethodCall(call))
}
