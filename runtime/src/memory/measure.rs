//! Measuring a closure.

use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(any(feature = "tch", feature = "remote"))]
use burn::backend::DispatchDevice;
use burn::tensor::Device;

use super::report::{Measured, Report, Source};
use super::tracking::{COUNTER, installed};

/// Runs `work` and reports the memory that its value keeps and the most that it held.
///
/// Everything that the value keeps alive counts, and the graph that burn recorded on the way: drop
/// what you do not ask about inside the closure. Two questions cover a training step:
///
/// ```
/// use burn::nn::LinearConfig;
/// use burn::tensor::{Device, Distribution, Tensor};
/// use remat::memory::{Tracking, measure};
///
/// #[global_allocator]
/// static ALLOC: Tracking = Tracking::new();
///
/// let device = Device::flex().autodiff();
/// let layer = LinearConfig::new(512, 512).init(&device);
/// let x = Tensor::<2>::random([64, 512], Distribution::Default, &device);
/// let step = || layer.forward(x.clone()).exp().mean();
/// step().backward(); // what burn sets up once is not part of a step
///
/// // What the forward keeps for the backward: the input of `exp`, 64 * 512 floats.
/// let (loss, forward) = measure(&device, step);
/// drop(loss);
/// assert!(forward.retained().unwrap() >= 64 * 512 * 4);
///
/// // What a step needs at most, of which nothing stays.
/// let ((), whole) = measure(&device, || drop(step().backward()));
/// assert!(whole.peak().unwrap() >= 64 * 512 * 4);
/// ```
///
/// burn frees the graph of a forward pass that is dropped without a backward pass when the next backward pass runs: run one
/// before you measure, or it is freed in the middle of the measurement.
///
/// Where the device has a memory pool (the `wgpu`, `vulkan`, `cuda` and `cpu` backends), the bytes
/// in use there are read before and after, once the device has finished its work; a pool keeps no
/// peak, and graph entries live elsewhere. Otherwise [`Tracking`](super::Tracking) is read, which
/// sees Rust's memory: tensors of the Flex and `NdArray` backends, not those of `LibTorch` or of a
/// remote device. With neither, the report says that nothing was measured.
///
/// The numbers are of the whole program: what other threads allocate meanwhile is part of them.
/// Measurements may be nested and may overlap on several threads, each has its own peak; only an
/// allocation that another thread makes and frees while a measurement begins or ends may escape it.
pub fn measure<T>(device: &Device, work: impl FnOnce() -> T) -> (T, Report) {
    if let Some(before) = pool_bytes(device) {
        let value = work();
        let measured = pool_bytes(device).map(|after| Measured {
            source: Source::Pool,
            before,
            after,
            peak: None,
        });
        (value, Report::new(measured))
    } else if installed() && in_rust_memory(device) {
        let window = Window::open();
        let value = work();
        (value, Report::new(Some(window.close())))
    } else {
        (work(), Report::new(None))
    }
}

/// Bytes in use in the device's memory pool, where it has one.
fn pool_bytes(device: &Device) -> Option<usize> {
    device.memory_pool_usage()?;
    // Work that is still queued holds its operands. Work that failed reports itself where its
    // result is read, which a measurement does not do.
    let _ = device.sync();
    let usage = device.memory_pool_usage()?;
    usage.bytes_in_use.try_into().ok()
}

/// Whether Rust's allocator sees the tensors of a device that has no memory pool.
#[cfg_attr(
    not(any(feature = "tch", feature = "remote")),
    allow(
        unused_variables,
        reason = "those have backends that keep tensors elsewhere"
    )
)]
fn in_rust_memory(device: &Device) -> bool {
    #[cfg(any(feature = "tch", feature = "remote"))]
    let device = device.clone().without_autodiff();
    #[cfg(feature = "tch")]
    if matches!(device.as_dispatch(), DispatchDevice::LibTorch(_)) {
        return false;
    }
    #[cfg(feature = "remote")]
    if matches!(device.as_dispatch(), DispatchDevice::Remote(_)) {
        return false;
    }
    true
}

/// A measurement that has begun.
struct Window {
    id: u64,
    before: usize,
}

impl Window {
    fn open() -> Self {
        let mut open = OpenWindows::lock();
        let id = open.next;
        open.next += 1;
        if open.peaks.capacity() == 0 {
            // Before the reading, and enough that a nested measurement allocates nothing in an
            // outer one.
            open.peaks.reserve(64);
        }
        open.raise(COUNTER.restart());
        let before = COUNTER.live();
        open.peaks.push((id, before));
        Self { id, before }
    }

    fn close(self) -> Measured {
        let (after, peak) = {
            let mut open = OpenWindows::lock();
            open.raise(COUNTER.peak());
            (COUNTER.live(), open.peak_of(self.id))
        };
        Measured {
            source: Source::Allocator,
            before: self.before,
            after,
            peak: Some(peak.unwrap_or(after) - self.before),
        }
    }
}

/// Also where `work` panics: a window that nobody reads must not stay.
impl Drop for Window {
    fn drop(&mut self) {
        OpenWindows::lock().peaks.retain(|(id, _)| *id != self.id);
    }
}

/// The windows that are open now, each with the highest mark that it saw.
///
/// The counter has one mark, which each window restarts. Before it does, the mark is written down
/// for the windows that are open already: so an inner measurement takes nothing from an outer one.
struct OpenWindows {
    next: u64,
    peaks: Vec<(u64, usize)>,
}

static OPEN: Mutex<OpenWindows> = Mutex::new(OpenWindows {
    next: 0,
    peaks: Vec::new(),
});

impl OpenWindows {
    fn lock() -> MutexGuard<'static, Self> {
        // Nothing in here panics half way; and a measurement is no reason to.
        OPEN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn raise(&mut self, mark: usize) {
        for (_, peak) in &mut self.peaks {
            *peak = mark.max(*peak);
        }
    }

    fn peak_of(&self, window: u64) -> Option<usize> {
        let found = self.peaks.iter().find(|(id, _)| *id == window);
        found.map(|(_, peak)| *peak)
    }
}
