//! Dividing by the scale, and whether all is finite.

use super::overflow::{self, Overflow};
use super::scaled::{ScaledGradients, widened};
use burn::module::{Module, ModuleVisitor, Param, ParamId};
use burn::optim::GradientsParams;
use burn::tensor::{Bool, Tensor};

/// The gradients of the model's parameters without their scale, if all are finite.
pub(crate) fn unscale<M: Module>(
    scaled: ScaledGradients,
    model: &M,
) -> Result<GradientsParams, Overflow> {
    let mut unscale = Unscale {
        scale: scaled.scale,
        weight: scaled.weight,
        scaled: scaled.grads,
        grads: GradientsParams::new(),
        params: Vec::new(),
        finite: Vec::new(),
    };
    model.visit(&mut unscale);
    let finite = read(unscale.finite);
    match finite.iter().position(|finite| !finite) {
        None => Ok(unscale.grads),
        Some(first) => {
            let parameter = overflow::describe(&unscale.grads, unscale.params[first], model);
            let affected = finite.iter().filter(|finite| !**finite).count();
            Err(Overflow::new(scaled.scale, parameter, affected))
        }
    }
}

struct Unscale {
    scale: f32,
    weight: f64,
    scaled: GradientsParams,
    grads: GradientsParams,
    params: Vec<ParamId>,
    /// One element for each of them.
    finite: Vec<Tensor<1, Bool>>,
}

impl ModuleVisitor for Unscale {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let Some(gradient) = self.scaled.remove::<D>(param.id) else {
            return;
        };
        // One that has been frozen meanwhile: an optimizer moves whatever has a gradient.
        if !param.is_require_grad() {
            return;
        }
        let gradient = divided(widened(gradient), self.scale, self.weight);
        self.finite.push(gradient.clone().is_finite().all());
        self.params.push(param.id);
        self.grads.register(param.id, gradient);
    }
}

/// In one division, which rounds once (the inverse of a scale would be another), unless f32 cannot hold its divisor.
fn divided<const D: usize>(gradient: Tensor<D>, scale: f32, weight: f64) -> Tensor<D> {
    let divisor = f64::from(scale) * weight;
    if (f64::from(f32::MIN_POSITIVE)..=f64::from(f32::MAX)).contains(&divisor.abs()) {
        gradient / divisor
    } else {
        gradient / scale / weight
    }
}

/// Reads all at once: each read waits for the device.
pub(crate) fn read(finite: Vec<Tensor<1, Bool>>) -> Vec<bool> {
    let Some(device) = finite.first().map(Tensor::device) else {
        return Vec::new();
    };
    let together = finite.into_iter().map(|flag| flag.to_device(&device));
    Tensor::cat(together.collect(), 0)
        .into_data()
        .iter::<bool>()
        .collect()
}
