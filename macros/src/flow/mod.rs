//! What becomes of tensors in a method: whether a layer with `#[inplace]` overwrites something that is still needed.
//!
//! Correctness does not hang on it: at run time a buffer that somebody else holds is copied. But then the annotation does
//! nothing, so here it is an error that tells who holds the buffer.
//!
//! The method is looked at as it is after its calls were rewritten, when each strategy has its one form. An abstract
//! interpreter goes through it in the order of evaluation ([`expr`], [`calls`], [`methods`], [`containers`], [`macros`],
//! [`control`], [`closures`], [`loops`], [`pattern`]), with a [`state`]: which [`value`]s the variables have, and who keeps
//! what. What operations of burn's keep is in [`tensor`], by their [`names`] ([`std_names`]). At the call of a layer in place, the [`rules`]
//! look at the state and say [`why`] not. What only the type of a field can tell becomes an [`assertion`].

mod assertion;
mod calls;
mod closures;
mod containers;
mod control;
mod expr;
mod loops;
mod macros;
mod methods;
mod names;
mod pattern;
mod place;
mod rules;
mod scope;
mod state;
mod std_names;
mod tensor;
mod value;
mod why;

use std::{collections::BTreeMap, rc::Rc};

use syn::{Expr, FnArg, Ident, ImplItemFn, Type};

pub use assertion::Owner;

use crate::{
    error::Errors,
    strategy::Strategy,
    syntax::{peel_type, show},
    table::{Row, Table},
};
use rules::Faults;
use scope::Scopes;
use state::{Holder, State, Who};
use std_names::NUMBER_TYPES;
use value::{Site, Value};

/// Reports the layers in place of a method that overwrite something which is still needed. Where the types of fields decide
/// that, the method asserts it.
pub fn check(table: &Table, owner: &Owner, function: &mut ImplItemFn, errors: &mut Errors) {
    let in_place = |row: &Row| row.strategy == Strategy::Inplace;
    if !table.rows.iter().any(in_place) {
        return;
    }
    let mut flow = Flow::new(table);
    flow.parameters(function);
    flow.block(&function.block);
    let open = flow.faults.report(errors);
    assertion::write(table, owner, &open, function);
}

struct Flow<'a> {
    table: &'a Table,
    scopes: Scopes,
    /// `None` where the method has returned, or jumped elsewhere.
    state: Option<State>,
    /// The loops and labelled blocks around the expression.
    targets: Vec<loops::Target>,
    faults: Faults,
    /// The expressions in macro calls.
    parsed: BTreeMap<Site, Option<Rc<Vec<Expr>>>>,
}

impl<'a> Flow<'a> {
    fn new(table: &'a Table) -> Self {
        Self {
            table,
            scopes: Scopes::default(),
            state: Some(State::default()),
            targets: Vec::new(),
            faults: Faults::default(),
            parsed: BTreeMap::new(),
        }
    }

    /// What is given by value is the method's own. What is lent, the caller holds.
    fn parameters(&mut self, function: &ImplItemFn) {
        for parameter in &function.sig.inputs {
            match parameter {
                FnArg::Receiver(receiver) => {
                    let value = self.make(receiver);
                    self.hold(&value, Who::Module, "self", receiver.self_token.span);
                    let name = Ident::new("self", receiver.self_token.span);
                    self.declare(&name, receiver, value);
                }
                FnArg::Typed(typed) => {
                    let value = if is_number(&typed.ty) {
                        Value::NOTHING
                    } else {
                        self.make(typed)
                    };
                    if let Type::Reference(reference) = peel_type(&typed.ty) {
                        let text = show(&typed.pat);
                        self.hold(&value, Who::Caller, &text, reference.and_token.span);
                    }
                    self.bind(&typed.pat, value);
                }
            }
        }
    }

    /// A tensor that nobody else knows yet.
    fn make<T>(&mut self, syntax: &T) -> Value {
        self.make_at(Site::of(syntax))
    }

    fn make_at(&mut self, site: Site) -> Value {
        match &mut self.state {
            Some(state) => Value::handle(state.make(site)),
            None => Value::NOTHING,
        }
    }

    /// What an operation gives that keeps nothing of its operands' buffers: of numbers a number, and of tensors without a
    /// gradient another one.
    fn result_of(&mut self, operands: &[Value], site: Site) -> Value {
        if operands.iter().all(Value::is_nothing) {
            return Value::NOTHING;
        }
        let result = self.make_at(site);
        if operands.iter().any(Value::has_gradient) {
            result
        } else {
            result.detached()
        }
    }

    /// One of those in a value, which nobody else has.
    fn own(&mut self, site: Site, value: &Value) -> Value {
        let mut value = value.clone();
        let made = self.make_at(site);
        value.age(site);
        if let Some(state) = &mut self.state {
            state.is_one_of(&made, &value);
        }
        if value.has_gradient() {
            made
        } else {
            made.detached()
        }
    }

    /// Those who hold what is in some values.
    fn holders_of(&self, values: &[Value]) -> Vec<Holder> {
        let Some(state) = &self.state else {
            return Vec::new();
        };
        let buffers = values.iter().flat_map(Value::buffers);
        let holders = buffers.filter_map(|buffer| state.holders.get(&buffer));
        holders.cloned().collect()
    }

    fn hold(&mut self, value: &Value, who: Who, text: &str, place: proc_macro2::Span) {
        let text = text.to_string();
        if let Some(state) = &mut self.state {
            let holder = Holder {
                who,
                text,
                place,
                only_if: None,
            };
            state.hold(value, &holder);
        }
    }
}

/// `f64`, `usize`, `bool`, ..
fn is_number(ty: &Type) -> bool {
    matches!(peel_type(ty), Type::Path(path) if path.path.get_ident().is_some_and(is_number_type))
}

fn is_number_type(name: &Ident) -> bool {
    NUMBER_TYPES.contains(&name.to_string().as_str())
}
