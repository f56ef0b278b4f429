//! What keeps no tensor: operations on numbers, and on tensors without a gradient.

use super::{Net, Net_with_derive_Remat, accepted};
use burn::tensor::Tensor;

impl Net {
    fn factor(&self) -> f64 {
        self.scale + 1.0
    }
}

#[remat::forward]
impl Net {
    fn a_number_of_a_number(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let root = (x.dims()[1] as f64).sqrt();
        let h = x.clone() / root * f64::from(2_u8).ln();
        self.relu.forward(x) + h + y
    }

    fn a_number_of_a_field(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let h = x.clone() * self.scale.powi(2);
        self.relu.forward(x) + h + y
    }

    fn a_number_of_a_method(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let factor: f64 = self.factor();
        let h = x.clone() * factor;
        self.relu.forward(x) + h + y
    }

    fn a_number_of_a_tensor(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let sum = x.clone().sum().into_scalar::<f32>();
        let h = x.clone() * sum;
        self.relu.forward(x) + h + y
    }

    fn a_tensor_without_a_gradient(&self, x: Tensor<2>, y: Tensor<2>, _: bool) -> Tensor<2> {
        let size = x.clone().detach().square().sqrt();
        let share = size.clone() / y.clone().detach().abs();
        self.relu.forward(x) * size + self.sigmoid.forward(y) * share
    }

    fn a_tensor_without_autodiff(&self, x: Tensor<2>, y: Tensor<2>, deep: bool) -> Tensor<2> {
        let largest = x.clone().inner().abs().max().into_scalar::<f32>();
        if deep {
            eprint!("{largest} in {:?}", x.dims());
        }
        self.relu.forward(x) + y * largest
    }
}

accepted! {
    a_number_of_a_number
    a_number_of_a_field
    a_number_of_a_method
    a_number_of_a_tensor
    a_tensor_without_a_gradient
    a_tensor_without_autodiff
}
