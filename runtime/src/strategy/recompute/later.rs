//! A second run that happens when it is first asked for, and serves everybody who asks.

use super::super::Layer;
use super::super::segment::{Again, Segment};
use crate::tape::Values;
use crate::tree::TensorTree;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A segment, run again or not yet.
pub(super) struct Later<M, I, O, F>(Mutex<State<M, I, O, F>>);

#[allow(clippy::large_enum_variant, reason = "there is one, behind a pointer")]
enum State<M, I, O, F> {
    Waiting(Segment<M, I>, F),
    Ran(Again<M, I, O>),
    /// The backward pass took it.
    Over,
}

impl<M, I, O, F> Later<M, I, O, F>
where
    M: Layer,
    I: TensorTree,
    O: TensorTree,
    F: Fn(&[M], I) -> O,
{
    pub(super) fn new(segment: Segment<M, I>, forward: F) -> Self {
        Self(Mutex::new(State::Waiting(segment, forward)))
    }

    /// Something of the outputs of the second run.
    pub(super) fn output<R>(&self, values: Values, f: impl FnOnce(&O) -> Option<R>) -> R {
        let mut state = self.lock();
        state.run(values);
        match &*state {
            State::Ran(again) => f(&again.outputs),
            State::Waiting(..) | State::Over => None,
        }
        .expect(
            "an output is asked for before the backward pass of the segment, and is there again",
        )
    }

    /// The second run, for its backward pass.
    pub(super) fn take(&self) -> Again<M, I, O> {
        let mut state = self.lock();
        // Without tracked inputs nobody needs to have asked.
        state.run(Values::none());
        match std::mem::replace(&mut *state, State::Over) {
            State::Ran(again) => again,
            State::Waiting(..) | State::Over => unreachable!("burn runs a pullback once"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<M, I, O, F>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M, I, O, F> State<M, I, O, F>
where
    M: Layer,
    I: TensorTree,
    O: TensorTree,
    F: Fn(&[M], I) -> O,
{
    fn run(&mut self, values: Values) {
        *self = match std::mem::replace(self, Self::Over) {
            Self::Waiting(mut segment, forward) => {
                segment.inputs.remember(values);
                Self::Ran(segment.again(forward))
            }
            state => state,
        };
    }
}
