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
    behind_a_loop: "for layer in &self.layers { x = layer.forward(x); } self.relu.forward(x)"
    behind_a_loop_that_may_break: "for layer in &self.layers { if deep { break; } x = layer.forward(x); } self.relu.forward(x)"
    behind_a_branch: "let mut h = self.linear.forward(x); if deep { h = self.linear.forward(h); } self.relu.forward(h)"
    what_a_branch_gives: "let h = if deep { self.linear.forward(x) } else { x }; self.relu.forward(h)"
    what_a_match_gives: "let h = match deep { true => self.linear.forward(x), false => x }; self.relu.forward(h)"
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

    popped: "let mut list = vec![self.linear.forward(x), y]; let a = list.pop().unwrap(); self.relu.forward(a) + Tensor::cat(list, 0)"
    popped_in_a_loop: "let mut list = vec![self.linear.forward(x), y]; let mut sum = self.scale();
        while let Some(h) = list.pop() { sum = sum + self.relu.forward(h); } sum"
    removed: "let mut list = vec![x, y]; let a = list.remove(0); self.relu.forward(a) + list.swap_remove(0)"
    the_next_one: "let mut all = vec![x, y].into_iter(); let a = all.next().unwrap(); self.relu.forward(a) + all.next().unwrap()"
    pushed_and_popped: "let mut list = Vec::new(); for layer in &self.layers { list.push(layer.forward(x.clone())); }
        let h = list.pop().unwrap(); self.relu.forward(h) + x"
    swapped: "let mut h = self.linear.forward(x.clone()); std::mem::swap(&mut h, &mut x); self.relu.forward(x) + h"
    replaced: "let h = std::mem::replace(&mut x, self.linear.forward(y)); self.relu.forward(h) + x"
    taken: "let mut m = Some(x); let h = std::mem::take(&mut m).unwrap(); self.relu.forward(h)"
    taken_by_a_method: "let mut m = Some(x); let h = m.take().unwrap(); self.relu.forward(h) + m.unwrap()"
    enumerated: "let mut sum = self.scale(); for (i, h) in vec![x, y].into_iter().enumerate() { sum = sum + self.relu.forward(h); } sum"
    zipped: "let mut sum = self.scale(); for (a, b) in vec![x].into_iter().zip(vec![y]) { sum = sum + self.relu.forward(a) + b; } sum"
    sorted_with_indices: "let (values, order) = x.clone().sort_with_indices(0); self.relu.forward(x) + values"
    the_largest_with_indices: "let (most, place) = x.clone().max_dim_with_indices(1); self.relu.forward(x) + most"
    clamped: "let a = x.clone().clamp(0.0, 1.0); self.relu.forward(x) + a"
    a_variance: "let v = x.clone().var(1); self.relu.forward(x) + v"
    scattered: "let a = x.clone().select_assign(0, index, y); self.relu.forward(x) + a"
    masked: "let mask = x.clone().greater_elem(0.5).float(); let a = x.clone() * mask; self.relu.forward(x) + a"
    masked_by_what_was_drawn: "let mask = Tensor::random([2, 2], Distribution::Bernoulli(0.5), &device); let a = x.clone() * mask; self.relu.forward(x) + a"
    a_product_with_ones: "let a = x.clone().mul(x.ones_like()); self.relu.forward(x) + a"
    divided_by_a_number: "let a = x.clone() / 2.0; self.relu.forward(x) + a"
    divided_by_a_mask: "let a = x.clone() / y.greater_elem(0).float(); self.relu.forward(x) + a"
    a_path_that_frees: "let a = Tensor::sum(x.clone()); self.relu.forward(x) + a"
    a_path_that_clones: "let a = Tensor::clone(&x).sum(); self.relu.forward(x) + a"
    the_temporaries_of_a_condition: "if x.clone().dims()[0] > 1 { self.relu.forward(x) } else { y }"
    the_temporaries_of_a_statement: "let n = self.linear.forward(y).clone(); self.relu.forward(n)"
    written_before: "let r = &mut y; *r = self.linear.forward(x); self.linear.forward(y)"
    written_through_a_reference: "{ let r = &mut y; *r = x.clone().sum(); } self.relu.forward(x) + y"
    given_a_layer: "let h = block(&self.linear, x); self.relu.forward(h)"
    given_back_by_its_last_owner: "let h = identity(x); self.relu.forward(h) + y"
    a_helper_that_is_a_layer: "let h = self.forward_twice(x.clone()); self.relu.forward(h) + x"
    a_function_of_burns: "let h = linear(x.clone(), self.bias.val(), None); self.relu.forward(h) + x"
    boxed: "let h = Box::new(self.linear.forward(x)); self.relu.forward(*h)"
    a_field_that_a_pattern_takes: "let s = State { hidden: x, cell: y }; let State { hidden, .. } = s; self.relu.forward(hidden)"
    left_by_continue: "for layer in &self.layers { let k = x.clone(); if deep { continue; } drop(k); x = layer.forward(x); } self.relu.forward(x * 2.0)"
    logged: "log::info!(target: \"net\", \"{:?}\", x.dims()); self.relu.forward(x) + y"
    checked_by_a_macro: "ensure!(x.dims()[0] > 0, \"empty\"); assert_shape!(x, [_, 3]); eprint!(\"{x}\"); self.relu.forward(x)"
    debugged: "let h = dbg!(x); self.relu.forward(h) + y"
    a_typed_number: "let a: f64 = self.alpha(); let h = x.clone() * a; self.relu.forward(x) + h"
    a_number_of_a_number: "let a = (x.dims()[1] as f64).sqrt(); let h = x.clone() / a; self.relu.forward(x) + h"
    a_number_of_a_field: "let h = x.clone() * self.scale.powi(2); self.relu.forward(x) + h"
    a_number_of_a_number_type: "let h = x.clone() * f64::from(2) * 2f64.ln(); self.relu.forward(x) + h"
    a_number_of_a_tensor: "let s = x.clone().sum().into_scalar::<f32>(); let h = x.clone() * s; self.relu.forward(x) + h"
    a_number_that_is_lent: "let h = x.clone() * lent.alpha; self.relu.forward(x) + h"
    without_a_gradient_nothing_is_kept: "let k = x.clone().detach().square().sqrt().mean(); self.relu.forward(x) + k"
    without_a_gradient_in_a_variable: "let k = x.clone().no_grad().abs(); let m = k.clone() * k; self.relu.forward(x) * m"
    divided_without_a_gradient: "let k = y.clone().detach() / x.clone().inner(); self.relu.forward(x) + self.sigmoid.forward(y) + k"
    an_exponential_that_may_keep_its_output: "let h = self.exp.forward(x); self.linear.forward(h)"
}
