//! A forward pass without a graph, recorded so that the backward pass runs it again with one.

use super::super::Layer;
use super::super::off::{strategies_are_off, with_strategies};
use super::super::segment::{self, KeptInputs, Leaves, Parents, Ports, Seeds, Snapshot};
use super::expected::Expected;
use super::options::{Checkpoint, Label};
use crate::random::{self, Stream};
use crate::tape::{self, Cotangents, ParentGradients};
use crate::tree::TensorTree;
use burn::tensor::Device;

/// Runs `forward` keeping only its inputs; the backward pass runs `again`, which must give the
/// graph that `forward` would have given.
pub(super) fn run<M, I, O>(
    options: Checkpoint,
    modules: &[M],
    inputs: I,
    forward: impl Fn(&[M], I) -> O,
    again: impl Fn(&[M], I) -> O + Send + 'static,
) -> O
where
    M: Layer,
    I: TensorTree + Send + 'static,
    O: TensorTree + 'static,
{
    if strategies_are_off() {
        return forward(modules, inputs);
    }
    let parents = Parents::of(modules, &inputs);
    let Some(device) = parents.device().cloned() else {
        return forward(modules, inputs);
    };
    if parents.nodes.is_empty() {
        // The first run of an outer segment has nothing tracked, its second run has: the random
        // numbers must be the same.
        if random::is_nested() {
            let stream = options.stream::<M>(&device);
            return play(stream.as_ref(), || forward(modules, inputs));
        }
        return forward(modules, inputs);
    }
    let (segment, outputs) = Segment::run(options, &device, modules, inputs, forward);
    tape::sweep_now_and_then(&device, modules.len());

    let mut node = tape::record(parents.nodes, move |cotangents, parents| {
        with_strategies(|| segment.backward(again, cotangents, parents));
    });
    outputs.map_tensors(&mut Ports(&mut node))
}

/// What it takes to run a forward pass again.
struct Segment<M, I> {
    label: Label,
    modules: Snapshot<M>,
    inputs: KeptInputs<I>,
    /// `None` if the segment was promised to draw no random numbers.
    stream: Option<Stream>,
    expected: Expected,
}

impl<M: Layer, I: TensorTree> Segment<M, I> {
    /// Runs the forward pass without a graph.
    fn run<O: TensorTree>(
        options: Checkpoint,
        device: &Device,
        modules: &[M],
        inputs: I,
        forward: impl Fn(&[M], I) -> O,
    ) -> (Self, O) {
        let label = options.label::<M>();
        let snapshot = Snapshot::of(modules);
        let kept = KeptInputs::of(&inputs);
        // The caller's graph must not be reachable from inside the segment.
        drop(inputs);
        let stream = options.stream::<M>(device);
        let untracked = segment::untracked(modules);
        let outputs = play(stream.as_ref(), || forward(&untracked, kept.constants()));
        if let Some(index) = segment::first_tracked(&outputs) {
            label.fail(format_args!(
                "float output {index} depends on a tracked tensor that is neither an input nor a \
                 parameter, so its gradient would be lost. Pass that tensor as an input (or make \
                 the field a `Param`)."
            ));
        }
        let segment = Self {
            expected: Expected::of(&outputs),
            label,
            modules: snapshot,
            inputs: kept,
            stream,
        };
        (segment, outputs)
    }

    /// Runs the forward pass again, on a graph of its own, and that graph's backward pass.
    fn backward<O: TensorTree>(
        self,
        again: impl Fn(&[M], I) -> O,
        cotangents: Cotangents,
        parents: &mut ParentGradients,
    ) {
        let mut leaves = Leaves::default();
        let inputs = self.inputs.fork(&mut leaves);
        let modules = self.modules.fork(&mut leaves);
        let outputs = play(self.stream.as_ref(), || {
            again(&modules, segment::share(&inputs))
        });
        self.expected.check(&outputs, &self.label);
        let vjp = Seeds::plant(cotangents, &outputs);
        // The outputs' values are not needed: only their places in the graph.
        drop(outputs);
        if let Some(grads) = vjp.backward() {
            segment::hand_over(&inputs, &modules, grads, parents);
        }
    }
}

fn play<R>(stream: Option<&Stream>, f: impl FnOnce() -> R) -> R {
    match stream {
        Some(stream) => stream.play(f),
        None => random::promise(f),
    }
}
