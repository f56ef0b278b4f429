//! Randomness that repeats.
//!
//! burn's generators can be seeded but not read, so the state in which a segment starts cannot be
//! saved: it has to be *set*, to a seed that is known, and the stream that was interrupted has to
//! go on from another known seed.
//!
//! * All seeds are counted from a root, which is drawn from the device's own generator: after
//!   `device.seed(s)` the whole run repeats, and another `s` gives other masks.
//! * A segment inside another takes its seed from the outer one's, by counting, so that a second
//!   run of the outer gives the inner the same seed.
//! * After a segment the generator is set to a seed of its own, so that what runs outside
//!   neither repeats the segment's numbers nor depends on how many it took.
//! * Masks of remat's own layers do not use that generator: their seeds are counted for each
//!   thread, in the order of the calls. A segment knows where it started and counts from there again. So
//!   the masks are the same whether there are segments or not. What an element gets is a hash of the seed and its
//!   index.

mod counted;
mod generator;
mod hash;
mod root;
mod segments;
mod stream;

pub(crate) use counted::{CountedSeed, next_mask_seed, next_rounding_seed};
pub(crate) use generator::{drawn_seed, nth_seed};
pub(crate) use hash::Key;
pub(crate) use root::seed;
pub(crate) use segments::is_nested;
pub(crate) use stream::{BrokenPromise, Stream};

/// Tests that draw from a device's generator, or watch it, take turns.
#[cfg(test)]
pub(crate) fn alone() -> std::sync::MutexGuard<'static, ()> {
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    TURN.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
