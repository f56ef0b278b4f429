//! Keeping burn's graph small between backward passes.
//!
//! Every operation on an autodiff device leaves an entry in burn's graph, also an untracked one;
//! only a backward pass, any, takes the dead ones out. A segment runs its forward untracked, so
//! hundreds of layers would pile up more bookkeeping than they save activations.

use burn::tensor::{Device, Tensor};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Segments between two sweeps. A sweep visits every live entry of the graph, so its cost grows
/// with the number of recorded segments, while the garbage of one segment is a few tens of KiB.
const EVERY: usize = 16;

static RUNS: AtomicUsize = AtomicUsize::new(0);

/// Call after each untracked run of a segment.
pub(crate) fn sweep_now_and_then(device: &Device) {
    if (RUNS.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(EVERY) {
        sweep(device);
    }
}

fn sweep(device: &Device) {
    let device = device.clone().autodiff();
    let _ = Tensor::<1>::zeros([1], &device).require_grad().backward();
}
