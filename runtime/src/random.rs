//! Randomness that repeats.
//!
//! burn's generators can be seeded but not read, so the state in which a segment starts cannot be
//! saved: it has to be *set*, to a seed that is known, and the stream that was interrupted has to
//! go on from another known seed.
//!
//! * A segment's seed is drawn from the device's own generator: after `device.seed(s)` the whole
//!   run repeats, and another `s` gives other masks.
//! * A segment inside another takes its seed from the outer one's, by counting, so that a second
//!   run of the outer gives the inner the same seed.
//! * After a segment the generator is set to a seed drawn before it, so that what runs outside
//!   neither repeats the segment's numbers nor depends on how many it took.
//!
//! Drawing reads a value back. Where that waits for the device, only the first segment of a step
//! draws, and the next ones count on from there: see [`Root`].

use crate::tape::reads_wait;
use burn::tensor::{Device, Distribution, Int, Tensor};
use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The random numbers of one segment.
pub(crate) struct Stream {
    device: Device,
    seed: u64,
    /// Keeps the root that the seed was counted from.
    _root: Option<Arc<()>>,
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
        let (seed, root) = next_seed(device);
        Ok(Self {
            device: device.clone(),
            seed,
            _root: root,
        })
    }

    /// Runs `f` with this stream in the device's generator; each time with the same numbers.
    pub(crate) fn play<R>(&self, f: impl FnOnce() -> R) -> R {
        let _scope = Scope::enter(&self.device, self.seed);
        f()
    }
}

/// Runs `f` as a segment that draws no random numbers, nor does one inside it.
pub(crate) fn promise<R>(f: impl FnOnce() -> R) -> R {
    let _inside = Inside::enter(Segment::Promised);
    f()
}

/// Whether this thread is inside a segment.
pub(crate) fn is_nested() -> bool {
    SEGMENTS.with_borrow(|segments| !segments.is_empty())
}

fn is_promised() -> bool {
    SEGMENTS.with_borrow(|segments| matches!(segments.last(), Some(Segment::Promised)))
}

/// A segment that this thread is in.
enum Segment {
    /// One with a stream; those inside it get their seeds from the counter.
    Seeded(Counter),
    /// One that draws nothing.
    Promised,
}

thread_local! {
    /// The innermost last.
    static SEGMENTS: RefCell<Vec<Segment>> = const { RefCell::new(Vec::new()) };
}

/// Until it is dropped, also by a panic, the thread is in the segment.
struct Inside;

impl Inside {
    fn enter(segment: Segment) -> Self {
        SEGMENTS.with_borrow_mut(|segments| segments.push(segment));
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        SEGMENTS.with_borrow_mut(Vec::pop);
    }
}

/// burn's generators belong to the process: two threads inside segments would take numbers from
/// one another's streams, and a recomputation would not find its own again.
static GENERATOR: Mutex<()> = Mutex::new(());

/// This thread's turn at the generator, unless a segment around has it already.
fn turn() -> Option<MutexGuard<'static, ()>> {
    (!is_nested()).then(|| GENERATOR.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Seeds counted from a seed.
struct Counter {
    seed: u64,
    next: u64,
}

impl Counter {
    fn new(seed: u64) -> Self {
        Self { seed, next: 0 }
    }

    fn count(&mut self) -> u64 {
        self.next += 1;
        mix(self.seed ^ mix(self.next))
    }
}

/// While it lives, the device's generator runs a segment's stream; then the interrupted one.
struct Scope<'a> {
    device: &'a Device,
    resume: u64,
    _inside: Inside,
    _turn: Option<MutexGuard<'static, ()>>,
}

impl<'a> Scope<'a> {
    fn enter(device: &'a Device, seed: u64) -> Self {
        let turn = turn();
        let (resume, _) = next_seed(device);
        device.seed(seed);
        Self {
            device,
            resume,
            _inside: Inside::enter(Segment::Seeded(Counter::new(seed))),
            _turn: turn,
        }
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        self.device.seed(self.resume);
    }
}

fn next_seed(device: &Device) -> (u64, Option<Arc<()>>) {
    let counted = SEGMENTS.with_borrow_mut(|segments| match segments.last_mut() {
        Some(Segment::Seeded(counter)) => Some(counter.count()),
        Some(Segment::Promised) | None => None,
    });
    match counted {
        Some(seed) => (seed, None),
        None if reads_wait(device) => {
            let (seed, root) = Root::next(device);
            (seed, Some(root))
        }
        None => (draw(device), None),
    }
}

/// A seed drawn once and counted on from, as long as a segment that came from it waits for its
/// backward pass: at most one wait for the device a step, and `device.seed` is obeyed from the
/// next step on.
struct Root {
    seeds: Counter,
    in_use: Weak<()>,
}

static ROOT: Mutex<Option<Root>> = Mutex::new(None);

impl Root {
    fn next(device: &Device) -> (u64, Arc<()>) {
        let mut root = ROOT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(root) = root.as_mut()
            && let Some(in_use) = root.in_use.upgrade()
        {
            return (root.seeds.count(), in_use);
        }
        let in_use = Arc::new(());
        let mut fresh = Self {
            seeds: Counter::new(draw(device)),
            in_use: Arc::downgrade(&in_use),
        };
        let seed = fresh.seeds.count();
        *root = Some(fresh);
        (seed, in_use)
    }
}

/// A seed from the device's generator, which moves on.
fn draw(device: &Device) -> u64 {
    // 24 bits a number: what the least precise of burn's integer generators gives.
    let numbers = Tensor::<1, Int>::random(
        [4],
        Distribution::Uniform(0.0, f64::from(1 << 24)),
        &device.clone().without_autodiff(),
    );
    numbers
        .into_data()
        .iter::<u32>()
        .fold(0, |seed, number| mix(seed ^ u64::from(number)))
}

/// The finaliser of `SplitMix64` (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, OOPSLA 2014), with its increment so that zero does not stay zero.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where reading waits for the device, one value is read a step, however many segments it has.
    #[test]
    fn a_root_draws_once_until_its_seeds_are_used_up() {
        let device = Device::default();
        let next_draw = |seed, before: &dyn Fn()| {
            device.seed(seed);
            before();
            draw(&device)
        };
        let untouched = next_draw(7, &|| ());

        device.seed(1);
        let (first, in_use) = Root::next(&device);
        let counted = RefCell::new(first);
        assert_eq!(
            next_draw(7, &|| {
                let (second, _) = Root::next(&device);
                assert_ne!(counted.replace(second), second);
            }),
            untouched,
            "counted on, not drawn"
        );

        drop(in_use);
        device.seed(1);
        let (again, _in_use) = Root::next(&device);
        assert_eq!(again, first, "a new step obeys the seed");
    }
}
