//! Keeping burn's graph small between backward passes.
//!
//! Every operation on an autodiff device leaves an entry in burn's graph, also an untracked one;
//! only a backward pass, any, takes the dead ones out. A segment runs its forward untracked, so
//! hundreds of layers would pile up more bookkeeping than they save activations.

use burn::tensor::{Device, Tensor};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Layers between two sweeps, at least. What one leaves behind is a few tens of KiB.
const LAYERS: usize = 16;

/// A sweep visits every entry of the graphs of the whole process, again for each entry of the same
/// graph: more than linear in the depth of the model (4000 recorded segments: 60 ms). One that takes
/// longer than this must not take more than half of the time: the next waits as long as it took.
const CHEAP: Duration = Duration::from_millis(3);

struct Last {
    /// Layers since.
    layers: usize,
    ended: Instant,
    took: Duration,
}

static LAST: Mutex<Option<Last>> = Mutex::new(None);

/// Call after each untracked run of a segment of so many layers.
pub(crate) fn sweep_now_and_then(device: &Device, layers: usize) {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    let due = match &mut *last {
        None => true,
        Some(last) => {
            last.layers += layers;
            let rested = last.took <= CHEAP || now - last.ended >= last.took;
            last.layers >= LAYERS && rested
        }
    };
    if due {
        sweep(device);
        let ended = Instant::now();
        *last = Some(Last {
            layers: 0,
            ended,
            took: ended - now,
        });
    }
}

fn sweep(device: &Device) {
    let device = device.clone().autodiff();
    let _ = Tensor::<1>::zeros([1], &device).require_grad().backward();
}
