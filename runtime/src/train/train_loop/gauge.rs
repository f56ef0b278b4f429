//! Time and memory of a window.

use crate::memory::{live_bytes, measure};
use burn::tensor::Device;
use std::time::{Duration, Instant};

pub(super) struct Gauge {
    began: Instant,
    /// The most live bytes of the program so far.
    peak: Option<usize>,
}

impl Gauge {
    pub(super) fn start() -> Self {
        Self {
            began: Instant::now(),
            peak: None,
        }
    }

    /// Runs a part of the window. To ask a memory pool would wait for the device, and it keeps no peak.
    pub(super) fn measure<T>(&mut self, device: Option<&Device>, work: impl FnOnce() -> T) -> T {
        let Some(device) = device.filter(|device| device.memory_pool_usage().is_none()) else {
            return work();
        };
        let (value, report) = measure(device, work);
        let peak = report.before().zip(report.peak());
        self.peak = self.peak.max(peak.map(|(before, above)| before + above));
        value
    }

    pub(super) fn time(&self) -> Duration {
        self.began.elapsed()
    }

    pub(super) fn peak(&self) -> Option<usize> {
        self.peak
    }
}

/// Live bytes where the device keeps its tensors.
pub(super) fn live(device: Option<&Device>) -> Option<usize> {
    match device?.memory_pool_usage() {
        Some(usage) => usage.bytes_in_use.try_into().ok(),
        None => live_bytes(),
    }
}
