//! The call of a field with `#[inplace]`.
//!
//! Nothing of the user's runs again, so there is no closure: the one argument is evaluated where it stands, and handed over.

use syn::{Expr, ExprMethodCall};

use super::{call::module, value::Layer, walk::Walk};
use crate::{strategy::Strategy, syntax::show};

impl Walk<'_> {
    pub fn is_inplace(&self, row: usize) -> bool {
        self.table.rows[row].strategy == Strategy::Inplace
    }

    /// The call of an activation, written with the runtime's function.
    // Input:
    //     self.relu.forward(x)
    //
    // Output:
    //     ::remat::inplace_with(Self::RELU_INPLACE_APPLIED_BY_REMAT_FORWARD, &self.relu, x)
    pub fn rewritten_inplace(&mut self, call: &ExprMethodCall, layer: &Layer) -> Option<Expr> {
        let input = match (call.args.first(), call.args.len()) {
            (Some(input), 1) if call.method == "forward" && call.turbofish.is_none() => input,
            _ => {
                let receiver = show(&call.receiver);
                let message = format!(
                    "a layer with `#[inplace]` can only be called as `forward`, with the one tensor that it overwrites\
                     \n\nhelp: write `{receiver}.forward(x)`"
                );
                self.errors.at(&call.method, &message);
                return None;
            }
        };
        let row = &self.table.rows[layer.row];
        self.applied(row.strategy);
        let span = call.method.span();
        let arguments = vec![
            self.options(layer.row, span),
            module(&call.receiver, layer.depth),
            input.clone(),
        ];
        Some(self.call_of_runtime(call.attrs.clone(), row, arguments, span))
    }
}
