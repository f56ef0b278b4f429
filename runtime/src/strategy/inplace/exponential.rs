//! burn's layers that are an exponential on one side of 0, whose gradient follows from the output:
//! `alpha · exp(x)` is `y + alpha`.

use super::activation::{InplaceActivation, Overwritten};
use crate::quantize::{Beyond, Sides};
use burn::nn::activation::{Celu, Elu, Selu};
use burn::tensor::Tensor;

impl InplaceActivation for Elu {
    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        let alpha = self.alpha;
        // With such an alpha, the output is above 0 on both sides.
        let sides = (alpha < 0.0).then(|| Sides::within(x.clone(), ..=0.0));
        Overwritten::keeping_output(self.forward(x), move |y, gradient| {
            let sides = sides.unwrap_or_else(|| Sides::within(y.clone(), ..=0.0));
            gradient * sides.apply(y.add_scalar(alpha), Beyond::Is(1.0))
        })
    }
}

impl InplaceActivation for Celu {
    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        let alpha = self.alpha;
        Overwritten::keeping_output(self.forward(x), move |y, gradient| {
            // The output has the sign of the input, whatever alpha is.
            let sides = Sides::within(y.clone(), ..=0.0);
            gradient * sides.apply(y.div_scalar(alpha).add_scalar(1.0), Beyond::Is(1.0))
        })
    }
}

impl InplaceActivation for Selu {
    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        // Of burn, which does not publish them.
        const ALPHA: f64 = 1.673_263_242_354_377_2;
        const GAMMA: f64 = 1.050_700_987_355_480_5;
        // Where the output is 0, the input may be 0 or a little less: the gradient jumps there.
        let sides = Sides::within(x.clone(), ..0.0);
        Overwritten::keeping_output(self.forward(x), move |y, gradient| {
            gradient * sides.apply(y.add_scalar(ALPHA * GAMMA), Beyond::Is(GAMMA))
        })
    }
}
