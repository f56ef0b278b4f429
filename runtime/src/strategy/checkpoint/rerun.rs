//! A segment that keeps its inputs, recorded so that the backward pass runs it again.

use super::super::Layer;
use super::super::segment::{Ports, Run, run_untracked};
use super::options::Checkpoint;
use crate::tape;
use crate::tree::TensorTree;

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
    match run_untracked(options.0, modules, inputs, forward) {
        Run::Plain(outputs) => outputs,
        Run::Segment {
            segment,
            outputs,
            parents,
        } => {
            let mut node = tape::record(parents, move |cotangents, parents| {
                segment.again(again).backward(cotangents, parents);
            });
            outputs.map_tensors(&mut Ports(&mut node))
        }
    }
}
