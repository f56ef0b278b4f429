//! The modules of a segment: run now without a graph, kept to run again later.

use super::context::Context;
use super::leaves::Leaves;
use super::{EachLeaf, Parents, VisitLeaves};
use burn::module::{Flag, Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::Tensor;

/// The modules as they were before the segment ran: same parameter buffers, but module state
/// (running statistics, scales) as it was, so that the second run starts where the first did and
/// what it updates is lost.
pub(super) struct Snapshot<M> {
    modules: Vec<M>,
    standing: Standing,
}

/// What `valid` takes from a module's parameters and `train` does not give back as it was.
#[derive(Default)]
struct Standing {
    floats: Vec<Context>,
    /// Whether a flag, such as dropout's `training`, is on.
    flags: Vec<bool>,
}

impl<M: Module> Snapshot<M> {
    pub(super) fn of(modules: &[M]) -> Self {
        let mut standing = Standing::default();
        for module in modules {
            module.visit(&mut standing);
        }
        Self {
            // Not `clone`: clones share their running statistics.
            modules: modules.iter().map(Module::valid).collect(),
            standing,
        }
    }

    /// The modules on a graph of their own: a leaf for every tracked parameter, same ids, same
    /// training flags.
    pub(super) fn fork(&self, leaves: &mut Leaves) -> Vec<M> {
        let mut fork = Fork {
            floats: self.standing.floats.iter(),
            flags: self.standing.flags.iter(),
            leaves,
        };
        let modules = self.modules.iter();
        let modules = modules.map(|module| module.clone().train().map(&mut fork));
        let modules = modules.collect();
        debug_assert_eq!(fork.floats.len() + fork.flags.len(), 0, "maps as it visits");
        modules
    }
}

/// The modules without a graph but in training mode, sharing their state with the originals, which
/// therefore moves once.
pub(super) fn untracked<M: Module>(modules: &[M]) -> Vec<M> {
    modules.iter().cloned().map(Module::no_grad).collect()
}

impl ModuleVisitor for Standing {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.floats.push(Context::of_float(&param.base()));
    }

    fn visit_flag(&mut self, flag: &Param<Flag>) {
        self.flags.push(flag.is_enabled());
    }
}

struct Fork<'a> {
    floats: std::slice::Iter<'a, Context>,
    flags: std::slice::Iter<'a, bool>,
    leaves: &'a mut Leaves,
}

/// `train` makes leaves of the parameters that are configured to train and switches on the flags
/// that are configured to be on; a parameter may also be the result of an operation (a cast copy of
/// master weights) or be detached, and a flag be off because the layer is one of a `valid` model.
impl ModuleMapper for Fork<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        match self.floats.next() {
            Some(&context) => param.map(|value| self.leaves.place(context, value)),
            None => param,
        }
    }

    fn map_flag(&mut self, flag: Param<Flag>) -> Param<Flag> {
        match self.flags.next() {
            Some(&enabled) => flag.map(|flag| flag.with(enabled)),
            None => flag,
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

impl<E: EachLeaf> ModuleVisitor for VisitLeaves<'_, E> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.visit(&param.base());
    }
}
