//! Seeds of masks and of stochastic rounding, counted for each thread in the order of the calls.

use super::generator::{Counter, turn};
use super::root::{self, InUse, Root};
use super::segments::{self, Masks, Segment};
use burn::tensor::Device;
use std::cell::RefCell;
use std::sync::Arc;

/// The seed of one mask, or of what is rounded.
#[derive(Clone, Debug)]
pub(crate) struct CountedSeed {
    pub(crate) value: u64,
    /// Keeps the root that it was counted from.
    _in_use: Arc<InUse>,
}

/// What a seed is for. Each is counted by itself, so that masks do not depend on whether something is rounded.
#[derive(Clone, Copy)]
enum Use {
    Mask,
    Rounding,
}

/// The counts of a thread.
#[derive(Clone)]
struct Counts {
    masks: Counter,
    roundings: Counter,
}

impl Counts {
    fn new(seed: u64) -> Self {
        let mut seeds = Counter::new(seed);
        Self {
            masks: Counter::new(seeds.count()),
            roundings: Counter::new(seeds.count()),
        }
    }

    fn count(&mut self, use_of_it: Use) -> u64 {
        match use_of_it {
            Use::Mask => self.masks.count(),
            Use::Rounding => self.roundings.count(),
        }
    }
}

/// Where the counts stand.
#[derive(Clone)]
pub(super) struct Position {
    seeds: Counts,
    in_use: Arc<InUse>,
}

impl Position {
    fn count(&mut self, use_of_it: Use) -> CountedSeed {
        CountedSeed {
            value: self.seeds.count(use_of_it),
            _in_use: Arc::clone(&self.in_use),
        }
    }
}

/// The counts of this thread.
pub(super) struct Thread {
    root: Arc<()>,
    seeds: Counts,
}

thread_local! {
    static THREAD: RefCell<Option<Thread>> = const { RefCell::new(None) };
}

/// The seed of the next mask: in a segment that runs again, the one it had the first time.
pub(crate) fn next_mask_seed(device: &Device) -> CountedSeed {
    next_seed(device, Use::Mask)
}

/// The seed of what is rounded next, likewise.
pub(crate) fn next_rounding_seed(device: &Device) -> CountedSeed {
    next_seed(device, Use::Rounding)
}

fn next_seed(device: &Device, use_of_it: Use) -> CountedSeed {
    if let Some(seed) = segments::with(|segments| count_again(segments, use_of_it)) {
        return seed;
    }
    let looked = segments::with(|segments| segments.iter().any(has_looked));
    let position = looked.then(Thread::stay).flatten();
    let mut position = position.unwrap_or_else(|| {
        let _turn = turn();
        root::with(device, Thread::follow)
    });
    segments::with(|segments| segments.iter_mut().for_each(|one| start(one, &position)));
    let seed = position.count(use_of_it);
    Thread::move_to(position.seeds);
    seed
}

/// The next seed of the innermost segment that runs again. Those inside of it start there.
fn count_again(segments: &mut [Segment], use_of_it: Use) -> Option<CountedSeed> {
    let is_again = |segment: &Segment| matches!(segment.masks, Masks::Again(Some(_)));
    let again = segments.iter().rposition(is_again)?;
    let (outer, inner) = segments.split_at_mut(again + 1);
    let Masks::Again(Some(position)) = &mut outer[again].masks else {
        return None;
    };
    for one in inner {
        start(one, position);
    }
    Some(position.count(use_of_it))
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
                seeds: Counts::new(root.threads.count()),
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

    fn move_to(seeds: Counts) {
        THREAD.with_borrow_mut(|slot| {
            if let Some(thread) = slot {
                thread.seeds = seeds;
            }
        });
    }
}
