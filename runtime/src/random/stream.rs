//! The random numbers of one segment.

use super::counted::{Position, Thread};
use super::generator::{Counter, Turn, turn};
use super::root::{self, InUse};
use super::segments::{Inside, Masks, Segment, count_seed, is_nested, is_promised, start_of_masks};
use burn::tensor::Device;
use std::sync::Arc;

/// What a segment draws in its first run, and again in the second.
pub(crate) struct Stream {
    /// `None` if the segment was promised to draw no random numbers from the device.
    generator: Option<Generator>,
    /// Where the masks of the first run started, if there were any.
    masks: Option<Position>,
}

/// What the device's generator is set to.
struct Generator {
    device: Device,
    seed: u64,
    /// Keeps the root that the seed was counted from.
    _in_use: Option<Arc<InUse>>,
}

/// A segment that may draw random numbers was run inside one that promised not to.
#[derive(Debug)]
pub(crate) struct BrokenPromise;

impl Stream {
    /// A stream of its own for a segment that runs on `device`.
    pub(crate) fn fork(device: &Device) -> Result<Self, BrokenPromise> {
        if is_promised() {
            return Err(BrokenPromise);
        }
        let _turn = turn();
        let (seed, in_use) = match count_seed() {
            Some(seed) => (seed, None),
            None => root::with(device, |root| {
                // The masks inside start from this root.
                Thread::follow(root);
                (root.seeds.count(), Some(root.use_it()))
            }),
        };
        let generator = Generator {
            device: device.clone(),
            seed,
            _in_use: in_use,
        };
        Ok(Self {
            generator: Some(generator),
            masks: None,
        })
    }

    /// The stream of a segment that draws nothing from the device, nor does one inside it.
    pub(crate) fn promised() -> Self {
        Self {
            generator: None,
            masks: None,
        }
    }

    /// Runs `f` with this stream.
    pub(crate) fn play<R>(&mut self, f: impl FnOnce() -> R) -> R {
        let (result, masks) = {
            // `fork` has just looked at the root.
            let following = |device: &Device| root::seen(device, |root| root.seeds.count());
            let _scope = self.enter(Masks::First(None), following);
            (f(), start_of_masks())
        };
        self.masks = masks;
        result
    }

    /// Runs `f` with the same numbers and masks as the first time.
    pub(crate) fn play_again<R>(&self, f: impl FnOnce() -> R) -> R {
        let following = |device: &Device| root::with(device, |root| root.seeds.count());
        let _scope = self.enter(Masks::Again(self.masks.clone()), following);
        f()
    }

    /// `following` gives the seed of what comes after, unless a segment around counts it.
    fn enter(&self, masks: Masks, following: fn(&Device) -> u64) -> Scope<'_> {
        let generator = self.generator.as_ref();
        let set = generator.map(|generator| Set::enter(generator, following));
        let seeds = generator.map(|generator| Counter::new(generator.seed));
        Scope {
            _inside: Inside::enter(Segment { seeds, masks }),
            _set: set,
        }
    }
}

/// While it lives, the thread is in the segment. Fields are dropped in order: it is left before the generator is.
struct Scope<'a> {
    _inside: Inside,
    _set: Option<Set<'a>>,
}

/// While it lives, the device's generator runs a segment's stream; then one that follows it.
struct Set<'a> {
    device: &'a Device,
    following: u64,
    _turn: Turn,
}

impl<'a> Set<'a> {
    fn enter(generator: &'a Generator, following: fn(&Device) -> u64) -> Self {
        let device = &generator.device;
        let turn = turn();
        let following = count_seed().unwrap_or_else(|| following(device));
        device.seed(generator.seed);
        Self {
            device,
            following,
            _turn: turn,
        }
    }
}

impl Drop for Set<'_> {
    fn drop(&mut self) {
        if is_nested() {
            self.device.seed(self.following);
        } else {
            root::mark(self.device, self.following);
        }
    }
}
