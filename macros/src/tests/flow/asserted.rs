//! Programs whose layers in place come one after the other: whether that can be, the types say.

use super::{NET, SIGNATURE, faults};
use crate::tests::{render, rewritten};

/// What these statements become, in an impl of this type.
fn asserted(owner: &str, body: &str) -> String {
    let source = format!("{owner} {{ {SIGNATURE} {{\n{body}\n}} }}");
    render(&source, rewritten(NET, &source))
}

#[test]
fn what_is_certain_is_an_error() {
    // The input may be what either has given, and `x` is there for certain.
    let faults = faults(
        "let h = if deep { self.exp.forward(y) } else { x.clone() }; self.relu.forward(h) + x",
    );
    assert_eq!(faults.len(), 1, "{faults:#?}");
    assert!(faults[0].contains("`x` (line 1)"), "{}", faults[0]);
}

#[test]
fn once_for_each_layer_that_may_have_given_it() {
    let body = "let h = if deep { self.exp.forward(x) } else { self.exps[0].forward(y) }; self.relu.forward(h)";
    let text = asserted("impl Net", body);
    assert_eq!(text.matches("keeps_output(").count(), 2, "{text}");
}

#[test]
fn in_a_loop_once() {
    let body = "for layer in &self.layers { x = layer.forward(self.relu.forward(self.exp.forward(x))); } x";
    let text = asserted("impl Net", body);
    assert_eq!(text.matches("keeps_output(").count(), 1, "{text}");
}

#[test]
fn behind_a_burn_layer_with_its_own_error() {
    let faults = faults("self.exp.forward(self.relu.forward(x))");
    assert!(faults[0].contains("is in place as well"), "{}", faults[0]);
}

#[test]
fn forms() {
    let body = "self.relu.forward(self.exp.forward(x))";
    insta::assert_snapshot!(asserted("impl Net", body));
    insta::assert_snapshot!(asserted("impl<T: Act> Net<T>", body));
}
