//! Loops over the layers of a grouped field, which become one call of the runtime.
//!
//! A [`form`] says what the loop is over, a [`segment`] what its body takes from outside, [`exits`] how it may leave
//! the body, [`early_stop`] what its last layer is run again with. What the loop becomes is in [`write`]; [`later`] keeps rustc from having to warn about it.

mod early_stop;
mod exits;
mod form;
mod later;
mod segment;
mod write;

use quote::ToTokens;
use syn::{Expr, Pat};

use super::{
    escape::Escape,
    value::{Layer, Value},
    walk::Walk,
};
use crate::strategy::Strategy;
use form::Sequence;

pub use segment::{Segment, is_change};
pub use write::ends_itself;

impl Walk<'_> {
    pub fn for_loop(&mut self, expr: &mut Expr) -> Value {
        let Expr::ForLoop(each) = expr else {
            return Value::Other;
        };
        let items = self.expr(&mut each.expr);
        let (rows, items) = self.open_segment(items);
        self.scopes.open();
        self.bind(&mut each.pat, items.clone().item(), false);
        self.repeated(&items, |walk| walk.block(&mut each.body));
        self.scopes.close();
        if let Some((row, segment)) = self.close_segment(&rows)
            && let Some(sequence) = self.sequence(&each.expr, &each.pat, row)
        {
            *expr = self.rewritten_loop(each, sequence, row, &segment);
        }
        Value::Other
    }

    /// `layers.fold(init, |x, layer| ..)`, after the walk through `layers`. False if it is not that.
    pub fn fold(&mut self, expr: &mut Expr, layers: &Value) -> bool {
        let Expr::MethodCall(fold) = expr else {
            return false;
        };
        let is_fold = fold.method == "fold" && fold.args.len() == 2;
        if !is_fold || self.grouped_rows(layers).is_empty() {
            return false;
        }
        let Some(Expr::Closure(function)) = fold.args.last_mut() else {
            return false;
        };
        let mut function = function.clone();
        self.argument(&mut fold.args[0], "fold", &Value::Other);
        let (rows, items) = self.open_segment(layers.clone());
        let result = self.closure(&mut function, &items.item());
        self.escape(&result, &Escape::Closure);
        fold.args[1] = Expr::Closure(function.clone());
        if let Some((row, segment)) = self.close_segment(&rows) {
            let pat = function.inputs.last().cloned();
            let sequence = pat.and_then(|pat| self.sequence(&fold.receiver, &pat, row));
            if let Some(sequence) = sequence {
                *expr = self.rewritten_fold(fold, function, sequence, row, &segment);
            }
        }
        true
    }

    /// The rows of the grouped fields that the layers in a value are of.
    fn grouped_rows(&self, value: &Value) -> Vec<usize> {
        let grouped = |layer: &&&Layer| layer.segment.is_none() && self.is_grouped(layer.row);
        let layers = value.layers();
        layers
            .iter()
            .filter(grouped)
            .map(|layer| layer.row)
            .collect()
    }

    pub fn is_grouped(&self, row: usize) -> bool {
        self.table.rows[row].strategy == Strategy::CheckpointSequence
    }

    /// Begins to take notes, if a loop is over layers of grouped fields.
    fn open_segment(&mut self, items: Value) -> (Vec<usize>, Value) {
        let rows = self.grouped_rows(&items);
        if rows.is_empty() {
            return (rows, items);
        }
        let items = items.in_segment(self.segments.len(), &rows);
        self.segments.push(Segment::new(self.scopes.depth()));
        (rows, items)
    }

    /// The notes about a loop that calls its layers. Any other loop is none of remat's business, unless it hands on a
    /// layer to where it cannot be followed.
    fn close_segment(&mut self, rows: &[usize]) -> Option<(usize, Segment)> {
        let row = *rows.first()?;
        let segment = self.segments.pop()?;
        if segment.called {
            return Some((row, segment));
        }
        for escape in segment.escapes {
            self.errors.push(escape);
        }
        None
    }

    /// The loop over these layers as a call, or an error that shows what can be one.
    fn sequence(&mut self, layers: &Expr, pat: &Pat, row: usize) -> Option<Sequence> {
        let whole = self.whole_field(layers, row);
        let sequence = whole.and_then(|whole| Sequence::new(whole, pat));
        if sequence.is_none() {
            self.not_a_sequence(layers, row);
        }
        sequence
    }

    /// Reports a call of a layer, or a loop over layers, that is not one over the whole field.
    pub fn not_a_sequence(&mut self, tokens: &dyn ToTokens, row: usize) {
        let field = self.field_name(row);
        self.errors.at(
            tokens,
            &format_args!(
                "the layers of `{field}` run again in groups, which remat can only form in a loop over the whole \
                 field\n\nhelp: write `for layer in &{field} {{ x = layer.forward(x); }}`, \
                 `for (i, layer) in {field}.iter().enumerate() {{ .. }}`, or \
                 `{field}.iter().fold(x, |x, layer| layer.forward(x))`"
            ),
        );
    }
}
