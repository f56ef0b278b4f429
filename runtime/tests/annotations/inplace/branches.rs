//! Branches, early returns, closures.

use super::{Net, Net_with_derive_Remat, accepted};
use burn::tensor::Tensor;

fn only_if(x: Tensor<2>, there: bool) -> Option<Tensor<2>> {
    there.then_some(x)
}

#[remat::forward]
impl Net {
    fn moved_in_one_arm(&self, x: Tensor<2>, y: Tensor<2>, deep: bool) -> Tensor<2> {
        let h = self.linear.forward(y);
        let z = if deep {
            self.relu.forward(x)
        } else {
            h.clone()
        };
        z + h
    }

    fn behind_a_branch(&self, x: Tensor<2>, y: Tensor<2>, deep: bool) -> Tensor<2> {
        let mut h = self.linear.forward(x);
        if deep {
            h = self.linear.forward(h);
        }
        self.linear.forward(self.relu.forward(h)) + y
    }

    fn both_arms(&self, x: Tensor<2>, y: Tensor<2>, deep: bool) -> Tensor<2> {
        let h = if deep {
            self.relu.forward(x)
        } else {
            self.sigmoid.forward(x)
        };
        h + y
    }

    fn match_arms(&self, x: Tensor<2>, y: Tensor<2>, deep: bool) -> Tensor<2> {
        let h = match usize::from(deep) {
            0 => self.relu.forward(x),
            _ => self.linear.forward(x),
        };
        h + y
    }

    fn cloned_in_the_other_arm(&self, x: Tensor<2>, y: Tensor<2>, deep: bool) -> Tensor<2> {
        let h = if deep {
            x.clone() * 2.0 + x
        } else {
            self.relu.forward(x)
        };
        h + y
    }

    fn early_return(&self, x: Tensor<2>, y: Tensor<2>, deep: bool) -> Tensor<2> {
        if deep {
            return x.clone() + x + y;
        }
        self.relu.forward(x) + y
    }

    fn let_else(&self, x: Tensor<2>, y: Tensor<2>, deep: bool) -> Tensor<2> {
        let Some(h) = only_if(x, deep) else {
            return self.sigmoid.forward(y);
        };
        self.relu.forward(h) + y
    }

    fn if_let(&self, x: Tensor<2>, y: Tensor<2>, deep: bool) -> Tensor<2> {
        if let Some(h) = only_if(x, deep) {
            self.relu.forward(h) + y
        } else {
            y
        }
    }

    fn maybe_half(&self, x: Tensor<2>, deep: bool) -> Option<Tensor<2>> {
        let h = only_if(x, deep)?;
        Some(self.relu.forward(h))
    }

    fn a_question(&self, x: Tensor<2>, y: Tensor<2>, deep: bool) -> Tensor<2> {
        match self.maybe_half(x, deep) {
            Some(h) => h + y,
            None => y,
        }
    }

    fn a_layer_that_may_be_missing(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let h = self.linear.forward(x);
        let h = match &self.maybe {
            Some(relu) => relu.forward(h),
            None => h,
        };
        h + y
    }

    fn a_closure_of_its_own(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let act = |h: Tensor<2>| self.relu.forward(h);
        act(self.linear.forward(x)) + y
    }
}

accepted! {
    moved_in_one_arm behind_a_branch both_arms match_arms cloned_in_the_other_arm early_return let_else if_let
    a_question a_layer_that_may_be_missing a_closure_of_its_own
}
