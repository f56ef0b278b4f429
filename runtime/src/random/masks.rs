//! Seeds of masks, counted for each thread in the order of the calls.

use super::generator::{Counter, turn};
use super::root::{self, InUse, Root};
use super::segments::{self, Masks, Segment};
use burn::tensor::Device;
use std::cell::RefCell;
use std::sync::Arc;

/// The seed of one mask.
#[derive(Clone, Debug)]
pub(crate) struct MaskSeed {
    pub(crate) value: u64,
    /// Keeps the root that it was counted from.
    _in_use: Arc<InUse>,
}

/// Where a count stands.
#[derive(Clone)]
pub(super) struct Position {
    seeds: Counter,
    in_use: Arc<InUse>,
}

impl Position {
    fn count(&mut self) -> MaskSeed {
        MaskSeed {
            value: self.seeds.count(),
            _in_use: Arc::clone(&self.in_use),
        }
    }
}

/// The count of this thread.
pub(super) struct Thread {
    root: Arc<()>,
    seeds: Counter,
}

thread_local! {
    static THREAD: RefCell<Option<Thread>> = const { RefCell::new(None) };
}

/// The next seed: in a segment that runs again, the one it had the first time.
pub(crate) fn next_mask_seed(device: &Device) -> MaskSeed {
    if let Some(seed) = segments::with(count_again) {
        return seed;
    }
    let looked = segments::with(|segments| segments.iter().any(has_looked));
    let position = looked.then(Thread::stay).flatten();
    let mut position = position.unwrap_or_else(|| {
        let _turn = turn();
        root::with(device, Thread::follow)
    });
    segments::with(|segments| segments.iter_mut().for_each(|one| start(one, &position)));
    let seed = position.count();
    Thread::move_to(position.seeds);
    seed
}

/// The next seed of the innermost segment that runs again. Those inside of it start there.
fn count_again(segments: &mut [Segment]) -> Option<MaskSeed> {
    let is_again = |segment: &Segment| matches!(segment.masks, Masks::Again(Some(_)));
    let again = segments.iter().rposition(is_again)?;
    let (outer, inner) = segments.split_at_mut(again + 1);
    let Masks::Again(Some(position)) = &mut outer[again].masks else {
        return None;
    };
    inner.iter_mut().for_each(|one| start(one, position));
    Some(position.count())
}

fn start(segment: &mut Segment, position: &Position) {
    if let Masks::First(first @ None) = &mut segment.masks {
        *first = Some(position.clone());
    }
}

/// Whether the root was looked at in this segment: from then on it stays, or a second run could not follow.
fn has_looked(segment: &Segment) -> bool {
    segment.seeds.is_some() || matches!(segment.masks, Masks::First(Some(_)))
}

impl Thread {
    /// The thread's count, from its start if the root is new.
    pub(super) fn follow(root: &mut Root) -> Position {
        THREAD.with_borrow_mut(|slot| {
            let known = slot
                .take()
                .filter(|thread| Arc::ptr_eq(&thread.root, root.identity()));
            let thread = slot.insert(known.unwrap_or_else(|| Self {
                root: Arc::clone(root.identity()),
                seeds: Counter::new(root.threads.count()),
            }));
            Position {
                seeds: thread.seeds.clone(),
                in_use: root.use_it(),
            }
        })
    }

    /// The thread's count, whatever has become of the root.
    fn stay() -> Option<Position> {
        THREAD.with_borrow(|slot| {
            slot.as_ref().map(|thread| Position {
                seeds: thread.seeds.clone(),
                in_use: root::in_use(&thread.root),
            })
        })
    }

    fn move_to(seeds: Counter) {
        THREAD.with_borrow_mut(|slot| {
            if let Some(thread) = slot {
                thread.seeds = seeds;
            }
        });
    }
}
