//! Fields with `#[autocast(..)]` that a method calls several times: their parameters are cast once.
//!
//! That a call is one of several is seen by where it stands: in a second place, or in a loop or closure that may run
//! several times. A loop over the layers of a list calls each of them once, and of an element, `self.layers[i]`, nobody
//! knows which one it is.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;
use syn::{Ident, ImplItemFn, Path, PathSegment, Stmt, parse_quote_spanned};

use super::{build::runtime_path, value::Value, walk::Walk};
use crate::table::{Row, Table};

/// What of a method may run several times, and which fields are called there.
#[derive(Default)]
pub struct Repeats {
    /// For each loop and closure around the expression, the rows whose layers it goes through.
    around: Vec<BTreeSet<usize>>,
    called: BTreeSet<usize>,
    /// The rows that are called several times, each with the place of such a call.
    several: BTreeMap<usize, Span>,
}

impl Walk<'_> {
    /// Walks `f`, which may run several times: for each of `items`, if it goes through layers.
    pub fn repeated<R>(&mut self, items: &Value, f: impl FnOnce(&mut Self) -> R) -> R {
        let rows = items.layers().into_iter().map(|layer| layer.row);
        let rows = rows.collect();
        self.repeats.around.push(rows);
        let result = f(self);
        self.repeats.around.pop();
        result
    }

    /// Notes the call of a field at this place.
    pub fn called(&mut self, row: usize, span: Span) {
        // In a segment, it is the call of a copy.
        if self.segments.is_empty() {
            self.repeats.call(row, &self.table.rows[row], span);
        }
    }
}

impl Repeats {
    fn call(&mut self, index: usize, row: &Row, span: Span) {
        if !row.strategy.casts_parameters() {
            return;
        }
        let (over, others): (Vec<_>, Vec<_>) =
            self.around.iter().partition(|rows| rows.contains(&index));
        if row.list && over.is_empty() {
            return;
        }
        let first = self.called.insert(index);
        if !first || !others.is_empty() {
            self.several.entry(index).or_insert(span);
        }
    }

    /// Writes the scopes in which those parameters are cast once.
    // Output:
    //     let _casts = ::remat::amp::CastScope::of(&self.up);
    pub fn open_scopes(self, table: &Table, function: &mut ImplItemFn) {
        let Some(receiver) = function.sig.receiver() else {
            return;
        };
        let this = receiver.self_token;
        let scopes = self.several.into_iter().map(|(row, span)| -> Stmt {
            let member = &table.rows[row].member;
            let scope = scope_of(&table.krate, span);
            let casts = Ident::new("_casts", span.resolved_at(Span::mixed_site()));
            parse_quote_spanned!(span=> let #casts = #scope(&#this.#member);)
        });
        // Behind the items: clippy wants them in front.
        let stmts = &mut function.block.stmts;
        let items = stmts
            .iter()
            .take_while(|stmt| matches!(stmt, Stmt::Item(_)));
        let place = items.count();
        stmts.splice(place..place, scopes);
    }
}

/// `::remat::amp::CastScope::of`
fn scope_of(krate: &Path, span: Span) -> Path {
    let mut path = runtime_path(krate, span);
    // Written by a macro, or rustc would lint the path as longer than it has to be.
    let written = span.resolved_at(Span::call_site());
    let names = ["amp", "CastScope", "of"].map(|name| Ident::new(name, written));
    path.segments.extend(names.map(PathSegment::from));
    path
}
