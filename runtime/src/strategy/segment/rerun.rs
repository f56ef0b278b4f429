//! A forward pass without a graph, and the same again with one.

use super::super::Layer;
use super::super::compression::are_approximate;
use super::super::off::{strategies_are_off, with_strategies};
use super::expected::Expected;
use super::options::{Label, Options};
use super::{
    HandOver, KeptInputs, Leaves, Parents, Seeds, Snapshot, Start, first_tracked, share, untracked,
    visit_leaves,
};
use crate::random::{self, Stream};
use crate::tape::{self, Cotangents, Parent, ParentGradients};
use crate::tree::TensorTree;

/// What came of running a forward pass.
#[allow(clippy::large_enum_variant, reason = "taken apart at once")]
pub(in super::super) enum Run<M, I, O> {
    /// It was the plain call: nothing is tracked, or strategies are off.
    Plain(O),
    /// It left no graph.
    Segment {
        segment: Segment<M, I>,
        outputs: O,
        parents: Vec<Parent>,
    },
}

/// Runs `forward` without a graph, unless it is to be the plain call.
pub(in super::super) fn run<M: Layer, I: TensorTree, O: TensorTree>(
    options: Options,
    modules: &[M],
    inputs: I,
    forward: impl Fn(&[M], I) -> O,
) -> Run<M, I, O> {
    if strategies_are_off() {
        return Run::Plain(forward(modules, inputs));
    }
    let parents = Parents::of(modules, &inputs);
    let Some(device) = parents.device().cloned() else {
        return Run::Plain(forward(modules, inputs));
    };
    if parents.nodes.is_empty() {
        // The first run of an outer segment has nothing tracked, its second run has: the random
        // numbers must be the same.
        if random::is_nested() {
            let mut stream = options.stream::<M>(&device);
            return Run::Plain(stream.play(|| forward(modules, inputs)));
        }
        return Run::Plain(forward(modules, inputs));
    }
    let stream = options.stream::<M>(&device);
    let approximate = options.compression().is_some() || are_approximate(&inputs);
    let label = options.label::<M>();
    let (mut segment, outputs) = Segment::run(label, stream, modules, inputs, approximate, forward);
    if let Some(compression) = options.compression() {
        segment.inputs.compress(compression, &device);
    }
    tape::sweep_now_and_then(&device, modules.len());
    Run::Segment {
        segment,
        outputs,
        parents: parents.nodes,
    }
}

/// What it takes to run a forward pass again.
pub(in super::super) struct Segment<M, I> {
    label: Label,
    modules: Snapshot<M>,
    pub(in super::super) inputs: KeptInputs<I>,
    stream: Stream,
    expected: Expected,
    /// Whether the second run sees other values of the inputs than the first.
    pub(in super::super) approximate: bool,
}

impl<M: Layer, I: TensorTree> Segment<M, I> {
    fn run<O: TensorTree>(
        label: Label,
        mut stream: Stream,
        modules: &[M],
        inputs: I,
        approximate: bool,
        forward: impl Fn(&[M], I) -> O,
    ) -> (Self, O) {
        let snapshot = Snapshot::of(modules);
        let kept = KeptInputs::of(&inputs);
        // The caller's graph must not be reachable from inside the segment.
        drop(inputs);
        let untracked = untracked(modules);
        let outputs = stream.play(|| forward(&untracked, kept.constants()));
        if let Some(index) = first_tracked(&outputs) {
            label.fail(format_args!(
                "float output {index} depends on a tracked tensor that is neither an input nor a \
                 parameter, so its gradient would be lost. Pass that tensor as an input (or make \
                 the field a `Param`)."
            ));
        }
        let segment = Self {
            expected: Expected::of(&outputs, !approximate),
            approximate,
            label,
            modules: snapshot,
            inputs: kept,
            stream,
        };
        (segment, outputs)
    }

    /// Runs the forward pass again, on a graph of its own.
    pub(in super::super) fn again<O: TensorTree>(
        mut self,
        forward: impl Fn(&[M], I) -> O,
    ) -> Again<M, I, O> {
        self.inputs.decompress();
        with_strategies(|| {
            let mut leaves = Leaves::default();
            let inputs = self.inputs.fork(&mut leaves);
            let modules = self.modules.fork(&mut leaves);
            let stream = &self.stream;
            let outputs = stream.play_again(|| forward(&modules, share(&inputs)));
            self.expected.check(&outputs, &self.label);
            Again {
                inputs,
                modules,
                leaves,
                outputs,
            }
        })
    }
}

/// A second run, with its graph.
pub(in super::super) struct Again<M, I, O> {
    inputs: I,
    modules: Vec<M>,
    leaves: Leaves,
    pub(in super::super) outputs: O,
}

impl<M: Layer, I: TensorTree, O: TensorTree> Again<M, I, O> {
    /// The backward pass of that graph.
    pub(in super::super) fn backward(self, cotangents: Cotangents, parents: &mut ParentGradients) {
        with_strategies(|| {
            let mut vjp = Seeds::plant(cotangents, &self.outputs);
            // The outputs' values are not needed: only their places in the graph.
            drop(self.outputs);
            let mut start = Start {
                vjp: &mut vjp,
                parents,
            };
            visit_leaves(&self.inputs, &self.modules, &mut start);
            if let Some(grads) = vjp.backward() {
                let mut hand_over = HandOver {
                    leaves: &self.leaves,
                    grads,
                    parents,
                };
                visit_leaves(&self.inputs, &self.modules, &mut hand_over);
            }
        });
    }
}
