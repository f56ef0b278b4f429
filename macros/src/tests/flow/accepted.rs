//! Programs in which nobody else needs what is overwritten.

use super::faults;

macro_rules! accepted {
    ($($name:ident: $body:literal)*) => {$(
        #[test]
        fn $name() {
            assert_eq!(faults($body), Vec::<String>::new());
        }
    )*};
}

accepted! {
    the_output_of_a_layer: "self.relu.forward(self.linear.forward(x))"
    an_argument_by_value: "self.relu.forward(x)"
    through_a_variable: "let h = self.linear.forward(x); let h = self.relu.forward(h); self.linear.forward(h)"
    rebinding: "x = self.linear.forward(x); x = self.relu.forward(x); x"
    a_loop: "for layer in &self.layers { x = self.relu.forward(layer.forward(x)); } x"
    a_loop_with_a_residual: "for layer in &self.layers {
        let h = self.relu.forward(layer.forward(x.clone()));
        x = x + layer.forward(h);
    } x"
    a_residual_around: "let h = self.linear.forward(x.clone()); let h = self.relu.forward(h); self.linear.forward(h) + x"
    a_residual_before: "let h = self.linear.forward(x.clone()) + x; self.relu.forward(h)"
    i01_a_shortcut_is_added_to_the_output: "let r = self.relu.forward(self.linear.forward(x)); r + y"
    i02_dropout_keeps_no_output: "self.relu.forward(self.dropout.forward(self.linear.forward(x)))"
    i02_out_of_place_behind: "let r = self.relu.forward(self.linear.forward(x)); r.tanh()"
    dropped_before: "let h = x.clone(); drop(x); self.relu.forward(h)"
    std_drop: "let h = x.clone(); ::core::mem::drop(x); self.relu.forward(h)"
    a_block_that_ends: "let h = { let other = x.clone(); other.sum() }; self.relu.forward(x) + h"
    looked_at: "let [n, d] = x.dims(); let device = x.device(); self.relu.forward(x).reshape([n * d])"
    an_operation_that_keeps_nothing: "let s = x.clone().sum(); self.relu.forward(x) * s.mean()"
    moved_in_one_arm: "let h = self.linear.forward(y);
        let z = if deep { self.relu.forward(x) } else { h.clone() }; z + h"
    both_arms: "if deep { self.relu.forward(x) } else { self.sigmoid.forward(x) }"
    a_match: "match deep { true => self.relu.forward(x), false => self.linear.forward(x) }"
    a_tuple: "let (a, b) = (self.linear.forward(x), self.linear.forward(y)); self.relu.forward(a) + self.sigmoid.forward(b)"
    a_tuple_by_its_fields: "let pair = (self.linear.forward(x), y); self.relu.forward(pair.0) + pair.1"
    a_struct: "let s = State { hidden: self.linear.forward(x), cell: y }; self.relu.forward(s.hidden) + s.cell"
    a_struct_taken_apart: "let State { hidden, cell } = State { hidden: x, cell: y }; self.relu.forward(hidden) + cell"
    early_return: "if deep { return x.clone() + y; } self.relu.forward(x)"
    a_question: "let h = try_it(x)?; self.relu.forward(h)"
    let_else: "let Some(h) = maybe(x) else { return y; }; self.relu.forward(h)"
    if_let: "if let Some(h) = maybe(x) { self.relu.forward(h) } else { y }"
    a_layer_that_may_be_missing: "let h = self.linear.forward(x); match &self.maybe { Some(relu) => relu.forward(h), None => h }"
    several_layers: "for (relu, layer) in self.several.iter().zip(&self.layers) { x = relu.forward(layer.forward(x)); } x"
    a_closure_has_its_own: "let act = |h: Tensor<2>| self.relu.forward(h); act(self.linear.forward(x))"
    a_view_of_its_own: "let h = self.linear.forward(x).reshape([1, -1]); self.relu.forward(h)"
    a_checkpoint_before: "let h = self.f.forward(x); self.relu.forward(h)"
    a_quantized_layer_before: "let h = self.q.forward(x.clone()); self.relu.forward(h) + x"
    a_recomputed_layer_before: "let h = self.norm.forward(x.clone()); self.relu.forward(h) + x"
    an_arithmetic_result: "let h = x * 2.0 + self.bias.val(); self.relu.forward(h)"
    a_number_is_no_tensor: "let h = x.clone() * self.scale; self.relu.forward(x) + h"
    reassigned: "let mut h = x.clone(); h = self.linear.forward(h); self.relu.forward(h) + x"
    shadowed_by_its_own_result: "let x = self.linear.forward(x); let x = self.relu.forward(x); let x = self.linear.forward(x); x"
    a_while_loop: "while deep { x = self.relu.forward(self.linear.forward(x)); } x"
    a_loop_with_break: "loop { x = self.linear.forward(x); if deep { break; } x = self.relu.forward(x); } x"
    collected_outputs: "let mut all = Vec::new(); for layer in &self.layers {
        x = self.relu.forward(layer.forward(x)); all.push(x.clone()); } Tensor::cat(all, 0)"
    elements_by_value: "let list = vec![self.linear.forward(x), y]; let mut sum = self.scale();
        for h in list { sum = sum + self.relu.forward(h); } sum"
    lists_made_in_a_loop: "let mut all = Vec::new(); for layer in &self.layers {
        all.push(vec![x.clone() * 2.0, layer.forward(x.clone())]); } self.relu.forward(x.clone() * 2.0) + x"
    a_tuple_of_a_call: "let (a, b) = self.pair(x); self.relu.forward(a) + b"
    a_part_of_a_call: "let (a, _) = self.pair(x); self.relu.forward(a) + y"
    a_variable_of_a_loop_that_is_left: "loop { x = self.linear.forward(x); let k = x.clone(); if deep { break; } drop(k); } self.relu.forward(x)"
    a_variable_of_a_while_let: "let mut m = maybe(y); while let Some(h) = m { x = x + h; m = maybe(x.clone() * 2.0); } self.relu.forward(x * 2.0)"
    dropped_by_an_underscore: "let _ = x.clone(); self.relu.forward(x)"
    asserted: "assert_eq!(x.dims(), y.dims()); self.relu.forward(x) + y"
}
