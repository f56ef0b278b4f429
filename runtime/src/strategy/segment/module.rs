//! The module of a segment: run now without a graph, kept to run again later.

use super::context::Context;
use super::{Parents, Taken};
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::Tensor;

/// The module as it was before the segment ran: same parameter buffers, but module state
/// (running statistics, scales) as it was, so that the second run starts where the first did and
/// what it updates is lost.
pub(crate) struct Snapshot<M> {
    module: M,
    contexts: Vec<Context>,
}

impl<M: Module> Snapshot<M> {
    pub(crate) fn of(module: &M) -> Self {
        let mut contexts = Contexts(Vec::new());
        module.visit(&mut contexts);
        Self {
            // Not `clone`: clones share their running statistics.
            module: module.valid(),
            contexts: contexts.0,
        }
    }

    /// The module on a graph of its own: a fresh leaf for every tracked parameter, same ids,
    /// same training flags.
    pub(crate) fn fork(&self) -> M {
        self.module
            .clone()
            .train()
            .map(&mut Fork(self.contexts.iter()))
    }
}

/// The module without a graph but in training mode, sharing its state with the original, which
/// therefore moves once.
pub(crate) fn untracked<M: Module>(module: &M) -> M {
    module.clone().no_grad()
}

struct Contexts(Vec<Context>);

impl ModuleVisitor for Contexts {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.push(Context::of(&param.base()));
    }
}

/// `train` makes leaves of the parameters that are configured to train; a parameter may also be
/// the result of an operation (a cast copy of master weights) or be switched off for the moment.
struct Fork<'a>(std::slice::Iter<'a, Context>);

impl ModuleMapper for Fork<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        match self.0.next() {
            Some(context) if !context.fits(&param.base()) => {
                param.map(|value| context.leaf(value.inner()))
            }
            _ => param,
        }
    }
}

pub(super) struct CollectParents<'a>(pub(super) &'a mut Parents);

impl ModuleVisitor for CollectParents<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = param.base();
        assert!(
            !(value.is_tracked() && value.is_distributed()),
            "remat: parameter {} is marked for burn's distributed gradients (`set_distributed`, \
             `grad_sharded`). Their hooks run in every backward pass, also in the one inside a \
             recomputed segment, and would synchronise too early. Average the gradients after \
             the backward pass instead.",
            param.id
        );
        self.0.add(&value);
    }
}

pub(super) struct TakeGradients<'a, 'b>(pub(super) &'a mut Taken<'b>);

impl ModuleVisitor for TakeGradients<'_, '_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.take(&param.base());
    }
}
