//! burn's layers that are straight on either side of a limit: a bit an element says which of two gradients it gets.
//!
//! The operations are those that burn's functions are made of on a device with autodiff: elsewhere a backend may have one
//! kernel for all, which rounds otherwise.

use super::activation::{InplaceActivation, Overwritten};
use crate::quantize::{Beyond, Sides};
use burn::nn::activation::{HardSigmoid, Hardtanh, LeakyRelu, Relu6};
use burn::tensor::{FloatDType, Tensor};

impl InplaceActivation for LeakyRelu {
    const KEEPS_OUTPUT: bool = false;

    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        let slope = self.negative_slope;
        let sides = Sides::within(x.clone(), 0.0..);
        let y = sides.apply(x, Beyond::Times(slope));
        Overwritten::new(y, move |gradient| {
            sides.apply(gradient, Beyond::SumOfWays(slope))
        })
    }
}

impl InplaceActivation for Relu6 {
    const KEEPS_OUTPUT: bool = false;

    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        let (y, sides) = clamped(x, 0.0, 6.0);
        Overwritten::new(y, move |gradient| sides.apply(gradient, Beyond::Is(0.0)))
    }
}

impl InplaceActivation for Hardtanh {
    const KEEPS_OUTPUT: bool = false;

    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        let (y, sides) = clamped(x, self.min_val, self.max_val);
        Overwritten::new(y, move |gradient| sides.apply(gradient, Beyond::Is(0.0)))
    }
}

impl InplaceActivation for HardSigmoid {
    const KEEPS_OUTPUT: bool = false;

    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }

    /// burn computes it in f32, whatever the input is: other inputs are replaced, and not overwritten.
    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        let (alpha, dtype) = (self.alpha, x.dtype());
        let x = x.cast(FloatDType::F32);
        let (y, sides) = clamped(x.mul_scalar(alpha).add_scalar(self.beta), 0.0, 1.0);
        Overwritten::new(y.cast(dtype), move |gradient| {
            let gradient = sides.apply(gradient.cast(FloatDType::F32), Beyond::Is(0.0));
            gradient.mul_scalar(alpha).cast(dtype)
        })
    }
}

/// `x` with the limits instead of what is beyond them, and which elements are not: the limits themselves are not.
fn clamped<const D: usize>(x: Tensor<D>, low: f64, high: f64) -> (Tensor<D>, Sides) {
    let sides = Sides::within(x.clone(), low..=high);
    let x = Sides::within(x.clone(), ..=high).apply(x, Beyond::Is(high));
    let x = Sides::within(x.clone(), low..).apply(x, Beyond::Is(low));
    (x, sides)
}
