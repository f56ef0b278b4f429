//! Programs in which somebody else still needs what would be overwritten.

use super::faults;

macro_rules! rejected {
    ($($name:ident: $body:literal => $says:literal)*) => {$(
        #[test]
        fn $name() {
            let faults = faults($body);
            assert_eq!(faults.len(), 1, "{faults:#?}");
            assert!(faults[0].contains($says), "{}", faults[0]);
        }
    )*};
}

rejected! {
    a_clone_whose_original_is_used: "let h = self.relu.forward(x.clone()); h + x" => "`x` (line 1) is another handle"
    a_clone_whose_original_is_not_used: "self.relu.forward(x.clone())" => "`x` (line 1) is another handle"
    a_clone_that_is_still_there: "let h = x.clone(); let r = self.relu.forward(x); r + h" => "`h` (line 2) is another handle"
    a_clone_of_a_clone: "let a = x.clone(); let b = a.clone(); drop(x); drop(a.sum()); let c = b.clone(); self.relu.forward(b) + c"
        => "`c` (line 2) is another handle"
    shadowed_but_alive: "let h = x.clone(); let x = self.relu.forward(h); x" => "`x` (line 1) is another handle"
    a_layer_keeps_it: "let a = self.linear.forward(x.clone()); a + self.relu.forward(x)" => "`self.linear.forward(..)` (line 2)"
    a_product_keeps_it: "let a = x.clone() * y; a + self.relu.forward(x)" => "keeps it for its gradient"
    an_exponential_keeps_it: "let a = x.clone().exp(); a + self.relu.forward(x)" => "`.exp(..)` (line 2) keeps it"
    a_matrix_product_keeps_both: "let a = y.matmul(x.clone()); a + self.relu.forward(x)" => "`.matmul(..)` (line 2)"
    a_checkpoint_keeps_it: "let a = self.f.forward(x.clone()); a + self.relu.forward(x)" => "#[checkpoint]"
    a_recomputed_layer_keeps_it: "let a = self.norm.forward(x.clone()); a + self.relu.forward(x)" => "#[recompute(cheap)]"
    a_quantized_layer_keeps_it: "let a = self.q.forward(x.clone()); a + self.relu.forward(x)" => "#[quantize(..)]"
    i02_two_in_a_row: "self.sigmoid.forward(self.relu.forward(self.linear.forward(x)))" => "is in place as well"
    i02_dropout_behind: "let h = self.relu.forward(x); self.dropout.forward(h)" => "`self.relu` (line 2), which is in place as well"
    i02_in_a_loop: "for _ in 0..2 { x = self.relu.forward(x); } x" => "is in place as well"
    i04_a_parameter: "self.relu.forward(self.bias.val())" => "belongs to the module"
    i04_a_parameter_by_clone: "self.relu.forward(self.bias.clone())" => "belongs to the module"
    i04_a_leaf: "let h = x.require_grad(); self.relu.forward(h)" => "leaf of the graph"
    lent_by_the_caller: "self.relu.forward(lent.clone())" => "only lent by the caller"
    an_unknown_function: "let a = consume(x.clone()); a + self.relu.forward(x)" => "`consume(..)` (line 2) is given it too"
    an_unknown_borrow: "let a = look(&x); a + self.relu.forward(x)" => "`look(..)` (line 2)"
    an_unknown_method: "let a = x.mystery(); a + self.relu.forward(x)" => "`.mystery(..)` (line 2)"
    a_helper_of_the_module: "let a = self.helper(x.clone()); a + self.relu.forward(x)" => "`self.helper(..)` (line 2)"
    a_view: "let v = x.clone().reshape([1, 4]); let a = self.relu.forward(x); a + v" => "`v` (line 2)"
    a_view_of_a_view: "let v = x.clone().transpose().slice([0..1]); let a = self.relu.forward(x); a + v" => "`v` (line 2)"
    a_waiting_operand: "x.clone() + self.relu.forward(x)" => "another operand"
    a_waiting_receiver: "x.clone().add(self.relu.forward(x))" => "another operand"
    in_one_arm_only: "let mut h = self.linear.forward(y); if deep { h = x.clone(); } let a = self.relu.forward(h); a + x" => "`x` (line 1)"
    in_a_match_arm: "let h = match deep { true => x.clone(), false => y }; let a = self.relu.forward(h); a + x" => "`x` (line 1)"
    in_a_tuple: "let pair = (x.clone(), y); self.relu.forward(x) + pair.0" => "`pair` (line 2)"
    in_a_struct: "let s = State { hidden: x.clone(), cell: y }; self.relu.forward(x) + s.hidden" => "`s` (line 2)"
    in_a_list: "let list = vec![x.clone(), y]; let a = self.relu.forward(x); a + Tensor::cat(list, 0)" => "`list` (line 2)"
    pushed: "let mut list = Vec::new(); list.push(x.clone()); let a = self.relu.forward(x); a + Tensor::cat(list, 0)" => "`list` (line 2)"
    in_an_option: "let kept = Some(x.clone()); let a = self.relu.forward(x); a + kept.unwrap()" => "`kept` (line 2)"
    a_closure_names_it: "let f = || x.clone().sum(); let a = self.relu.forward(y.clone()); drop(y); a + f()" => "`y` (line 1)"
    captured: "let f = |t: Tensor<2>| t + x.clone(); let a = self.relu.forward(x.clone()); f(a)" => "the closure"
    a_macro_names_it: "let a = custom!(x); let b = self.relu.forward(x); a + b" => "`custom!(..)` (line 2)"
    kept_over_a_loop: "let first = x.clone(); for layer in &self.layers { x = self.relu.forward(x); x = layer.forward(x); } x + first"
        => "`first` (line 2)"
    kept_by_the_round_before: "let mut last = self.linear.forward(y); for layer in &self.layers {
        x = layer.forward(x); let keep = last; last = x.clone(); x = self.relu.forward(x) + keep; } x + last" => "`last`"
    a_field_of_a_borrowed_tuple: "let pair = (x, y); let r = &pair; let a = self.relu.forward(r.0.clone()); a + pair.1" => "`pair`"
    leaving_a_loop_with_it: "let h = loop { if deep { break x.clone(); } }; self.relu.forward(h) + x" => "`x` (line 1)"
    an_in_place_layer_in_a_closure: "let act = |h: Tensor<2>| { let k = h.clone(); self.relu.forward(h) + k }; act(x)" => "`k` (line 2)"
    by_clone_function: "let h = Clone::clone(&x); self.relu.forward(h) + x" => "`x` (line 1)"
    detached: "let h = x.clone().detach(); self.relu.forward(h) + x" => "`x` (line 1)"
    twice_in_a_list: "let list = vec![x.clone(), x]; let mut sum = y.clone();
        for h in list { sum = sum + self.relu.forward(h); } sum" => "the list (line 2) has it twice"
    elements_that_somebody_else_has: "let list = vec![x.clone(), y]; let mut sum = self.scale();
        for h in list { sum = sum + self.relu.forward(h); } sum + x" => "`x` (line 1)"
    lent_elements: "let mut sum = y; for h in [lent] { sum = sum + self.relu.forward(h.clone()); } sum" => "only lent by the caller"
    popped_beside_others: "let mut list = vec![x.clone(), y]; let h = list.pop().unwrap(); self.relu.forward(h) + x" => "another handle"
    lent_and_matched: "let maybe = Some(lent); match maybe { Some(t) => self.relu.forward(t.clone()), None => y }" => "only lent by the caller"
    an_underscore_does_not_move: "let h = x.clone(); let _ = x; self.relu.forward(h)" => "`x` (line 1)"
    an_underscore_does_not_drop: "let _k = x.clone(); self.relu.forward(x)" => "`_k` (line 2)"
    a_part_that_nothing_binds: "let pair = (y, x.clone()); let (a, _) = pair; self.relu.forward(x) + a" => "`pair` (line 2)"
    a_temporary_that_nothing_binds: "match (y, x.clone()) { (a, _) => self.relu.forward(x) + a }" => "another operand"
    an_element_is_replaced: "let mut list = vec![x.clone(), y.clone()]; list[1] = y; self.relu.forward(x) + Tensor::cat(list, 0)" => "`list` (line 2)"
    an_argument_in_between: "combine(x.clone(), self.relu.forward(x))" => "another operand"
}
