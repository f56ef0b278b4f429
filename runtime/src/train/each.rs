//! Every gradient of a model, whatever its rank.

use burn::module::{Module, ModuleVisitor, Param, ParamId};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use std::collections::HashSet;

/// What is done to a gradient. It is given the only handle, so that its buffer can be written to.
pub(super) trait Visit {
    fn gradient<const D: usize>(&mut self, gradient: Tensor<D>) -> Tensor<D>;
}

/// Visits the gradients of the parameters, in the order of the fields, each once.
pub(super) fn each_gradient<M: Module>(
    grads: &mut GradientsParams,
    model: &M,
    visit: &mut impl Visit,
) {
    model.visit(&mut EachGradient {
        grads,
        visit,
        seen: HashSet::new(),
    });
}

struct EachGradient<'a, V> {
    grads: &'a mut GradientsParams,
    visit: &'a mut V,
    /// Tied parameters are in several places.
    seen: HashSet<ParamId>,
}

impl<V: Visit> ModuleVisitor for EachGradient<'_, V> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if !self.seen.insert(param.id) {
            return;
        }
        if let Some(gradient) = self.grads.remove::<D>(param.id) {
            let gradient = self.visit.gradient(gradient.inner());
            self.grads.register(param.id, gradient);
        }
    }
}
