//! Variables, clones, tuples, structs.

use super::{Net, Net_with_derive_Remat, accepted};
use burn::tensor::Tensor;

struct State {
    hidden: Tensor<2>,
    cell: Tensor<2>,
}

#[remat::forward]
impl Net {
    fn the_output_of_a_layer(&self, x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        self.relu.forward(self.linear.forward(x))
    }

    fn an_argument_by_value(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        self.relu.forward(x) + y
    }

    fn through_variables(&self, x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        let h = self.linear.forward(x);
        let h = self.sigmoid.forward(h);
        self.linear.forward(h)
    }

    fn rebinding(&self, mut x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        x = self.linear.forward(x);
        x = self.tanh.forward(x);
        self.linear.forward(x)
    }

    fn a_residual_around(&self, x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        let h = self.linear.forward(x.clone());
        let h = self.relu.forward(h);
        self.linear.forward(h) + x
    }

    fn a_residual_before(&self, x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        let h = self.linear.forward(x.clone()) + x;
        self.relu.forward(h)
    }

    fn i01_a_shortcut_is_added_to_the_output(
        &self,
        x: Tensor<2>,
        shortcut: Tensor<2>,
        _: bool,
    ) -> Tensor<2> {
        let r = self.relu.forward(self.linear.forward(x));
        r + shortcut
    }

    fn i02_dropout_keeps_no_output(&self, x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        self.relu
            .forward(self.dropout.forward(self.linear.forward(x)))
    }

    fn i02_limits_keep_no_output(&self, x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        let h = self.leaky.forward(self.linear.forward(x));
        self.relu.forward(self.limited.forward(h))
    }

    fn i02_out_of_place_behind(&self, x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        let r = self.relu.forward(self.linear.forward(x));
        r.tanh()
    }

    fn dropped_before(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let h = x.clone();
        drop(x);
        self.relu.forward(h) + y
    }

    fn in_a_block_that_ends(&self, x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        let sum = {
            let other = x.clone();
            other.sum_dim(1)
        };
        self.relu.forward(x) + sum
    }

    fn looked_at(&self, x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        let [rows, columns] = x.dims();
        self.relu.forward(x).reshape([columns, rows])
    }

    fn a_tuple(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let (a, b) = (self.linear.forward(x), self.linear.forward(y));
        self.relu.forward(a) + self.sigmoid.forward(b)
    }

    fn a_tuple_by_its_fields(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let pair = (self.linear.forward(x), y);
        self.relu.forward(pair.0) + pair.1
    }

    fn a_struct(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let state = State {
            hidden: self.linear.forward(x),
            cell: y,
        };
        self.relu.forward(state.hidden) + state.cell
    }

    fn a_struct_taken_apart(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let State { hidden, cell } = State { hidden: x, cell: y };
        self.relu.forward(hidden) + cell
    }

    fn a_view_of_its_own(&self, x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        let h: Tensor<2> = self.linear.forward(x).reshape([1, -1]);
        self.relu.forward(h)
    }

    fn behind_other_strategies(&self, x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        let h = self.relu.forward(self.f.forward(x.clone()));
        let h = self.relu.forward(self.norm.forward(h));
        self.relu.forward(h.clone() * 0.5) + h + x
    }

    fn arithmetic(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let h = x.clone() * self.scale + self.bias.val().unsqueeze();
        self.relu.forward(h) + self.sigmoid.forward(x) + y
    }

    fn reassigned(&self, x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        let mut h = x.clone();
        h = self.linear.forward(h);
        self.relu.forward(h) + x
    }

    fn shadowed_by_its_own_result(&self, x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        let x = self.linear.forward(x);
        let x = self.relu.forward(x);
        let x = self.linear.forward(x);
        self.tanh.forward(x)
    }
}

accepted! {
    the_output_of_a_layer an_argument_by_value through_variables rebinding a_residual_around a_residual_before
    i01_a_shortcut_is_added_to_the_output i02_dropout_keeps_no_output i02_limits_keep_no_output i02_out_of_place_behind dropped_before
    in_a_block_that_ends looked_at a_tuple a_tuple_by_its_fields a_struct a_struct_taken_apart a_view_of_its_own
    behind_other_strategies arithmetic reassigned shadowed_by_its_own_result
}

#[test]
fn beside_a_quantized_layer() {
    // Its gradients are near, not equal.
    let _turn = super::TURN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let net = Net::new();
    let before = remat::inplace::copies();
    super::run(&net, |net, x, y, _| net.with_q(x, y), false);
    if !cfg!(cube) {
        assert_eq!(remat::inplace::copies(), before);
    }
}

#[remat::forward]
impl Net {
    fn with_q(&self, x: Tensor<2>, y: Tensor<2>) -> Tensor<2> {
        let h = self.q.forward(x.clone());
        self.relu.forward(h) + x + y
    }
}
