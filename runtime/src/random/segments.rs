//! The segments that a thread is in.

use super::counted::Position;
use super::generator::Counter;
use std::cell::RefCell;

/// A segment that this thread is in.
pub(super) struct Segment {
    /// Counts the seeds of segments inside; `None` in one that promised to draw no random numbers.
    pub(super) seeds: Option<Counter>,
    pub(super) masks: Masks,
}

/// Where the masks of a segment come from.
pub(super) enum Masks {
    /// From the thread's own count; this was the first of them.
    First(Option<Position>),
    /// It runs again: from where it started then.
    Again(Option<Position>),
}

thread_local! {
    /// The innermost last.
    static SEGMENTS: RefCell<Vec<Segment>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn with<R>(f: impl FnOnce(&mut [Segment]) -> R) -> R {
    SEGMENTS.with_borrow_mut(|segments| f(segments))
}

/// Whether this thread is inside a segment.
pub(crate) fn is_nested() -> bool {
    with(|segments| !segments.is_empty())
}

/// Whether the innermost segment promised to draw no random numbers.
pub(super) fn is_promised() -> bool {
    with(|segments| segments.last().is_some_and(|last| last.seeds.is_none()))
}

/// Whether one of them has set the device's generator.
pub(super) fn holds_the_generator() -> bool {
    with(|segments| segments.iter().any(|segment| segment.seeds.is_some()))
}

/// The next seed of the innermost segment, if it counts any.
pub(super) fn count_seed() -> Option<u64> {
    with(|segments| segments.last_mut()?.seeds.as_mut().map(Counter::count))
}

/// Until it is dropped, also by a panic, the thread is in the segment.
pub(super) struct Inside;

impl Inside {
    pub(super) fn enter(segment: Segment) -> Self {
        SEGMENTS.with_borrow_mut(|segments| segments.push(segment));
        Self
    }
}

/// Where the masks of the innermost segment started, if there were any.
pub(super) fn start_of_masks() -> Option<Position> {
    with(|segments| match &segments.last()?.masks {
        Masks::First(position) => position.clone(),
        Masks::Again(_) => None,
    })
}

impl Drop for Inside {
    fn drop(&mut self) {
        SEGMENTS.with_borrow_mut(Vec::pop);
    }
}
