//! The backward pass of a micro-batch, which starts from the sum so far.

use super::Refused;
use crate::amp::{is_low, widened_gradient};
use crate::tape::Vjp;
use burn::module::{Module, ModuleVisitor, Param, ParamId};
use burn::optim::GradientsParams;
use burn::tensor::{Gradients, Tensor};
use std::collections::HashSet;

/// Whether a backward pass can begin at this loss.
pub(super) fn check<const D: usize>(loss: &Tensor<D>) -> Result<(), Refused> {
    if loss.shape().num_elements() != 1 {
        return Err(Refused::Shape(loss.dims().to_vec()));
    }
    if is_low(loss.dtype()) {
        return Err(Refused::LowPrecisionLoss(loss.dtype()));
    }
    if loss.is_tracked() {
        Ok(())
    } else {
        Err(Refused::Untracked)
    }
}

/// Whether the model has all parameters that `sum` has gradients of.
pub(super) fn check_model<M: Module>(sum: &GradientsParams, model: &M) -> Result<(), Refused> {
    let mut known = Known {
        sum,
        ids: HashSet::new(),
    };
    model.visit(&mut known);
    match sum.len() - known.ids.len() {
        0 => Ok(()),
        unknown => Err(Refused::AnotherModel(unknown)),
    }
}

/// Adds the gradients of the model's parameters to `sum`: of `seed` times the loss.
pub(super) fn add<const D: usize, M: Module>(
    sum: &mut GradientsParams,
    loss: Tensor<D>,
    seed: f32,
    model: &M,
) {
    let mut pass = Vjp::new();
    let cotangent = Tensor::<D>::full(loss.shape(), seed, (&loss.device(), loss.dtype()));
    pass.seed(&loss, cotangent);
    // The graph of a loss that nobody holds is freed on the way.
    drop(loss);
    model.visit(&mut Enter {
        sum,
        pass: &mut pass,
    });
    if let Some(mut grads) = pass.backward() {
        model.visit(&mut Leave {
            grads: &mut grads,
            sum,
        });
    }
}

struct Known<'a> {
    sum: &'a GradientsParams,
    /// A tied parameter is in several places.
    ids: HashSet<ParamId>,
}

impl ModuleVisitor for Known<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if self.sum.get::<D>(param.id).is_some() {
            self.ids.insert(param.id);
        }
    }
}

/// The sum becomes what the parameters' gradients start from, where they have its dtype: the backward pass then holds
/// the only handle of it, and adds in place.
struct Enter<'a> {
    sum: &'a mut GradientsParams,
    pass: &'a mut Vjp,
}

impl ModuleVisitor for Enter<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = param.base();
        // Of a parameter that has been frozen meanwhile the pass would lose it.
        if value.is_tracked()
            && !is_low(value.dtype())
            && let Some(sum) = self.sum.remove::<D>(param.id)
        {
            self.pass.seed(&value, sum);
        }
    }
}

/// What the pass has found is the sum; or is added to it, where that did not enter.
struct Leave<'a> {
    grads: &'a mut Gradients,
    sum: &'a mut GradientsParams,
}

impl ModuleVisitor for Leave<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = param.base();
        if !value.is_tracked() {
            return;
        }
        let Some(gradient) = value.grad_remove(self.grads).map(widened_gradient) else {
            return;
        };
        let sum = match self.sum.remove::<D>(param.id) {
            Some(sum) => sum + gradient,
            None => gradient,
        };
        self.sum.register(param.id, sum);
    }
}
