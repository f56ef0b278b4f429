//! Loops, and what goes from one round to the next.

use super::{Net, Net_with_derive_Remat, accepted};
use burn::tensor::Tensor;

#[remat::forward]
impl Net {
    fn a_loop(&self, mut x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        for layer in &self.layers {
            x = self.relu.forward(layer.forward(x));
        }
        x + y
    }

    fn a_loop_with_residuals(&self, mut x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        for layer in &self.layers {
            let h = self.relu.forward(layer.forward(x.clone()));
            x = x + layer.forward(h);
        }
        x + y
    }

    fn several_layers(&self, mut x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        for (relu, layer) in self.several.iter().zip(&self.layers) {
            x = relu.forward(layer.forward(x));
        }
        x + y
    }

    fn a_loop_with_a_break(&self, mut x: Tensor<2>, y: Tensor<2>, deep: bool) -> Tensor<2> {
        for layer in &self.layers {
            x = layer.forward(x);
            if deep {
                break;
            }
            x = self.relu.forward(x);
        }
        x + y
    }

    fn a_while_loop(&self, mut x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let mut round = 0;
        while round < 3 {
            x = self.sigmoid.forward(self.linear.forward(x));
            round += 1;
        }
        x + y
    }

    fn collected_outputs(&self, mut x: Tensor<2>, _: Tensor<2>, _: bool) -> Tensor<2> {
        let mut outputs = Vec::new();
        for layer in &self.layers {
            x = self.relu.forward(layer.forward(x));
            outputs.push(x.clone());
        }
        Tensor::cat(outputs, 0)
    }

    fn behind_a_loop(&self, mut x: Tensor<2>, y: Tensor<2>, deep: bool) -> Tensor<2> {
        for layer in &self.layers {
            if deep {
                break;
            }
            x = layer.forward(x);
        }
        self.linear.forward(self.relu.forward(x)) + y
    }

    fn a_fold(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let h = self
            .layers
            .iter()
            .fold(x, |x, layer| self.relu.forward(layer.forward(x)));
        h + y
    }
}

accepted! {
    a_loop a_loop_with_residuals several_layers a_loop_with_a_break a_while_loop collected_outputs behind_a_loop a_fold
}
