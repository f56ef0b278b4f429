//! Dividing by the scale, and whether all is finite.

use super::overflow::{self, Overflow};
use super::scaled::{ScaledGradients, widened};
use crate::reads::Reads;
use burn::module::{Module, ModuleVisitor, Param, ParamId};
use burn::optim::GradientsParams;
use burn::tensor::{Bool, Tensor, TensorData};

/// The gradients of the model's parameters without their scale, if all are finite.
pub(crate) fn unscale<M: Module>(
    scaled: ScaledGradients,
    model: &M,
) -> Result<GradientsParams, Overflow> {
    let unscaled = Unscaled::new(scaled, model);
    let mut reads = Reads::default();
    unscaled.ask(&mut reads);
    unscaled.checked(&mut reads.execute(), model)
}

/// The gradients of a model's parameters without their scale, of which it is not known yet whether they are finite.
pub(crate) struct Unscaled {
    pub(crate) grads: GradientsParams,
    scale: f32,
    params: Vec<ParamId>,
    /// One element for each of them.
    finite: Vec<Tensor<1, Bool>>,
}

impl Unscaled {
    pub(crate) fn new<M: Module>(scaled: ScaledGradients, model: &M) -> Self {
        let mut unscale = Unscale {
            weight: scaled.weight,
            scaled: scaled.grads,
            unscaled: Self {
                grads: GradientsParams::new(),
                scale: scaled.scale,
                params: Vec::new(),
                finite: Vec::new(),
            },
        };
        model.visit(&mut unscale);
        unscale.unscaled
    }

    /// Whether they are finite, as one tensor.
    pub(crate) fn ask(&self, reads: &mut Reads) {
        if let Some(device) = self.finite.first().map(Tensor::device) {
            let together = self
                .finite
                .iter()
                .map(|flag| flag.clone().to_device(&device));
            reads.add(Tensor::cat(together.collect(), 0));
        }
    }

    /// The gradients, if they are, from what was [asked](Self::ask).
    pub(crate) fn checked<M: Module>(
        self,
        read: &mut impl Iterator<Item = TensorData>,
        model: &M,
    ) -> Result<GradientsParams, Overflow> {
        let asked = !self.finite.is_empty();
        let read = asked.then(|| read.next()).flatten();
        let finite: Vec<bool> = read.iter().flat_map(TensorData::iter).collect();
        match finite.iter().position(|finite| !finite) {
            None => Ok(self.grads),
            Some(first) => {
                let parameter = overflow::describe(&self.grads, self.params[first], model);
                let affected = finite.iter().filter(|finite| !**finite).count();
                Err(Overflow::new(self.scale, parameter, affected))
            }
        }
    }
}

struct Unscale {
    scaled: GradientsParams,
    weight: f64,
    unscaled: Unscaled,
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
        let to = &mut self.unscaled;
        let gradient = divided(widened(gradient), to.scale, self.weight);
        to.finite.push(gradient.clone().is_finite().all());
        to.params.push(param.id);
        to.grads.register(param.id, gradient);
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
