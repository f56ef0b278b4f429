//! The counting allocator.

use std::alloc::{GlobalAlloc, Layout, System, alloc, dealloc};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A global allocator that counts the live bytes of the program and their high-water mark.
///
/// It hands every request to the allocator it wraps, [`System`] unless told otherwise, at the cost of
/// one atomic addition each. Bytes are those that the program asked for: what the wrapped allocator
/// adds for alignment and bookkeeping, and memory that does not come from Rust, is not counted.
///
/// ```
/// use remat::memory::{Tracking, live_bytes};
///
/// #[global_allocator]
/// static ALLOC: Tracking = Tracking::new();
///
/// let before = live_bytes().unwrap();
/// let kept = vec![0_u8; 1 << 20];
/// assert!(live_bytes().unwrap() >= before + (1 << 20));
/// # drop(kept);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Tracking<A = System> {
    inner: A,
}

impl Tracking {
    /// Counts what the system's allocator hands out.
    ///
    /// ```
    /// use remat::memory::{Tracking, live_bytes};
    ///
    /// #[global_allocator]
    /// static ALLOC: Tracking = Tracking::new();
    ///
    /// assert!(live_bytes().is_some());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::over(System)
    }
}

impl<A> Tracking<A> {
    /// Counts what another allocator hands out.
    ///
    /// ```
    /// use remat::memory::{Tracking, live_bytes};
    /// use std::alloc::System; // or `mimalloc::MiMalloc`, `tikv_jemallocator::Jemalloc`, ..
    ///
    /// #[global_allocator]
    /// static ALLOC: Tracking<System> = Tracking::over(System);
    ///
    /// assert!(live_bytes().is_some());
    /// ```
    pub const fn over(inner: A) -> Self {
        Self { inner }
    }
}

// SAFETY: every call goes to the wrapped allocator unchanged, whose contract is the caller's; the
// counters touch no memory of theirs and never allocate.
#[allow(unsafe_code, reason = "an allocator is an unsafe trait")]
unsafe impl<A: GlobalAlloc> GlobalAlloc for Tracking<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let block = unsafe { self.inner.alloc(layout) };
        if !block.is_null() {
            COUNTER.grow(layout.size());
        }
        block
    }

    // Not left to the trait's default, which would write zeros over pages that the system hands
    // out as zeros.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let block = unsafe { self.inner.alloc_zeroed(layout) };
        if !block.is_null() {
            COUNTER.grow(layout.size());
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // First the count: once the block is back, another thread may own and count it.
        COUNTER.shrink(layout.size());
        unsafe { self.inner.dealloc(block, layout) };
    }

    // Counted as the difference: a wrapped allocator that moves the block holds both for a moment,
    // one that remaps its pages does not.
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let moved = unsafe { self.inner.realloc(block, layout, size) };
        if !moved.is_null() {
            match size.checked_sub(layout.size()) {
                Some(more) => COUNTER.grow(more),
                None => COUNTER.shrink(layout.size() - size),
            }
        }
        moved
    }
}

/// Bytes that are live now, or `None` when the program did not install [`Tracking`].
///
/// Cheap enough for a progress bar: it allocates one byte, reads the counter and frees it.
///
/// ```
/// // This program did not install the allocator: nothing was measured, which is not 0 bytes.
/// assert_eq!(remat::memory::live_bytes(), None);
/// ```
#[must_use]
pub fn live_bytes() -> Option<usize> {
    installed().then(|| COUNTER.live())
}

/// Whether what the program allocates is counted: while a byte is held, the count is not 0.
///
/// A flag that the allocator sets would cost every allocation of the program a write.
#[allow(unsafe_code, reason = "a box could be optimised away")]
pub(super) fn installed() -> bool {
    let layout = Layout::new::<u8>();
    // SAFETY: the layout is not empty, and the block is freed once, with the same layout.
    unsafe {
        let probe = black_box(alloc(layout));
        let counted = COUNTER.live() > 0;
        if !probe.is_null() {
            dealloc(probe, layout);
        }
        counted
    }
}

/// What every [`Tracking`] of the program counts into: there can only be one global allocator.
pub(super) static COUNTER: Counter = Counter::new();

/// Live bytes and their high-water mark.
///
/// Relaxed is enough: each counter is one atomic, and nothing is published through them.
pub(super) struct Counter {
    live: AtomicUsize,
    peak: AtomicUsize,
}

impl Counter {
    const fn new() -> Self {
        Self {
            live: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
        }
    }

    pub(super) fn live(&self) -> usize {
        self.live.load(Relaxed)
    }

    /// The most bytes live at once since the last [`restart`](Self::restart).
    pub(super) fn peak(&self) -> usize {
        self.peak.load(Relaxed)
    }

    /// Sets the mark back to the bytes that are live now, and answers with the old mark.
    pub(super) fn restart(&self) -> usize {
        let old = self.peak.swap(self.live(), Relaxed);
        // What another thread allocated between that load and that swap it compared with the old
        // mark.
        self.peak.fetch_max(self.live(), Relaxed);
        old
    }

    fn grow(&self, bytes: usize) {
        let live = self.live.fetch_add(bytes, Relaxed).wrapping_add(bytes);
        // Nearly always false, and a load is cheaper than an atomic maximum.
        if live > self.peak.load(Relaxed) {
            self.peak.fetch_max(live, Relaxed);
        }
    }

    fn shrink(&self, bytes: usize) {
        self.live.fetch_sub(bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stays_until_it_is_restarted() {
        let counter = Counter::new();
        counter.grow(100);
        counter.shrink(60);
        counter.grow(10);
        assert_eq!((counter.live(), counter.peak()), (50, 100));

        assert_eq!(counter.restart(), 100);
        assert_eq!(counter.peak(), 50);
        counter.grow(1);
        assert_eq!(counter.peak(), 51);
    }

    #[test]
    fn threads_lose_no_byte() {
        let counter = Counter::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        counter.grow(3);
                        counter.shrink(2);
                    }
                });
            }
        });
        assert_eq!(counter.live(), 40_000);
        assert!((40_000..=40_008).contains(&counter.peak()));
    }

    #[test]
    fn a_program_without_the_allocator_is_told_so() {
        assert!(!installed());
        assert_eq!(live_bytes(), None);
    }
}
