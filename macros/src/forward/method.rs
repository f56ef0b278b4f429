//! One method of the impl: which `self` it has, and whether a layer may run again after it.

use syn::{
    FnArg, ImplItemFn, Macro, Receiver, ReceiverKind, Token, Type, TypeReference, visit::Visit,
};

use super::{value::Value, walk::Walk};
use crate::{
    error::Errors,
    flow::{self, Owner},
    syntax::peel_type,
    table::Table,
};

/// Rewrites the calls of annotated fields in a method, and tells how many there are.
pub fn rewrite(
    table: &Table,
    owner: &Owner,
    function: &mut ImplItemFn,
    errors: &mut Errors,
) -> usize {
    let before = errors.len();
    let mut walk = Walk::new(table, errors);
    if !walk.bind_parameters(function) {
        return 0;
    }
    walk.within_async(function.sig.asyncness, |walk| {
        let value = walk.block(&mut function.block);
        walk.returned(&value);
    });
    let (calls, again, fine) = (walk.calls, walk.again, walk.errors.len() == before);
    let repeats = walk.repeats;
    if again {
        check_receiver(function, errors);
    }
    // A call that was not rewritten would be taken for something else.
    if calls > 0 && fine {
        flow::check(table, owner, function, errors);
        repeats.open_scopes(table, function);
    }
    calls
}

/// A macro call in place of a method may hold calls, which remat would miss.
pub fn scan(table: &Table, member: &Macro, errors: &mut Errors) -> usize {
    let mut walk = Walk::new(table, errors);
    let this = <Token![self]>::default().into();
    walk.scopes.bind(this, Value::Whole { depth: 1 });
    walk.scan(member);
    0
}

impl Walk<'_> {
    /// Binds the parameters. False if none of them is the struct: then there is nothing to rewrite.
    fn bind_parameters(&mut self, function: &mut ImplItemFn) -> bool {
        let mut whole = false;
        for parameter in &mut function.sig.inputs {
            match parameter {
                FnArg::Receiver(receiver) => {
                    whole = true;
                    let depth = receiver_depth(receiver);
                    self.scopes
                        .bind(receiver.self_token.into(), Value::Whole { depth });
                }
                FnArg::Typed(typed) => {
                    let value = self.parameter(&typed.ty);
                    whole |= value.is_followed();
                    self.bind(&mut typed.pat, value, false);
                }
            }
        }
        whole
    }

    /// A parameter can be the struct, too: `other: &Self`.
    fn parameter(&self, ty: &Type) -> Value {
        match peel_type(ty) {
            Type::Reference(reference) => {
                let value = self.parameter(&reference.elem);
                if value.is_followed() || is_borrow_of_a_value(reference) {
                    value.referenced()
                } else {
                    Value::Other
                }
            }
            Type::Path(path) if self.is_whole(&path.path) => Value::Whole { depth: 0 },
            _ => Value::Other,
        }
    }
}

/// `&T` of a `T` that can be cloned.
fn is_borrow_of_a_value(reference: &TypeReference) -> bool {
    let is_static = |lifetime: &syn::Lifetime| lifetime.ident == "static";
    let unsized_type = match peel_type(&reference.elem) {
        Type::Slice(_) | Type::TraitObject(_) => true,
        Type::Path(path) => path.path.is_ident("str"),
        _ => false,
    };
    reference.mutability.is_none()
        && !reference.lifetime.as_ref().is_some_and(is_static)
        && !unsized_type
}

fn receiver_depth(receiver: &Receiver) -> usize {
    match &receiver.kind {
        ReceiverKind::Reference(..) => 1,
        ReceiverKind::Typed(_, ty) => usize::from(matches!(peel_type(ty), Type::Reference(_))),
        _ => 0,
    }
}

/// A layer that runs again must find `self` as it was.
fn check_receiver(function: &ImplItemFn, errors: &mut Errors) {
    let Some(receiver) = function.sig.receiver() else {
        return;
    };
    let mutable = match &receiver.kind {
        ReceiverKind::Reference(_, _, mutability) => mutability.is_some(),
        ReceiverKind::Typed(_, ty) => is_mutable(ty),
        _ => false,
    };
    if mutable {
        errors.at(
            receiver,
            &"a checkpointed layer runs again in the backward pass, and must find `self` as it was: take `&self`\
              \n\nhelp: keep state that changes in burn's `RunningState`",
        );
    }
}

/// `self: &mut Self`, `self: Pin<&mut Self>`
fn is_mutable(ty: &Type) -> bool {
    struct Mutable(bool);
    impl<'ast> Visit<'ast> for Mutable {
        fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
            self.0 |= reference.mutability.is_some();
        }
    }
    let mut found = Mutable(false);
    found.visit_type(ty);
    found.0
}
