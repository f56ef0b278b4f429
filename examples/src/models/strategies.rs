//! The list of strategies.

use burn::tensor::Device;

use super::model::{Model, model};
use super::{
    Checkpoint, EarlyStop, Every2, Plain, RecomputeCheap, SequenceRecursive, Sqrt, Workload,
};

/// A row of the comparison.
#[derive(Clone, Copy)]
pub struct Strategy {
    /// Its name on the command line and in the results.
    pub name: &'static str,
    /// Makes its model, on a device that has autodiff.
    pub build: fn(&Workload, &Device) -> Box<dyn Model>,
}

/// What the others are compared with.
pub const PLAIN: Strategy = Strategy {
    name: "plain",
    build: |sizes, device| model(device, Plain::new(sizes, device), Plain::forward),
};

/// Every strategy. A new one is a model in a file of its own, and an entry here.
pub const STRATEGIES: &[Strategy] = &[
    PLAIN,
    Strategy {
        name: "balanced",
        build: |sizes, device| {
            // burn's own: what is cheap to compute is computed again in the backward pass.
            let device = &device.clone().gradient_checkpointing();
            model(device, Plain::new(sizes, device), Plain::forward)
        },
    },
    Strategy {
        name: "checkpoint",
        build: |sizes, device| model(device, Checkpoint::new(sizes, device), Checkpoint::forward),
    },
    Strategy {
        name: "checkpoint_early_stop",
        build: |sizes, device| model(device, EarlyStop::new(sizes, device), EarlyStop::forward),
    },
    Strategy {
        name: "every2",
        build: |sizes, device| model(device, Every2::new(sizes, device), Every2::forward),
    },
    Strategy {
        name: "sqrt",
        build: |sizes, device| model(device, Sqrt::new(sizes, device), Sqrt::forward),
    },
    Strategy {
        name: "sequence_recursive",
        build: |sizes, device| {
            let stack = SequenceRecursive::new(sizes, device);
            model(device, stack, SequenceRecursive::forward)
        },
    },
    Strategy {
        name: "recompute_cheap",
        build: |sizes, device| {
            model(
                device,
                RecomputeCheap::new(sizes, device),
                RecomputeCheap::forward,
            )
        },
    },
];

/// The strategy of that name.
#[must_use]
pub fn strategy(name: &str) -> Option<Strategy> {
    STRATEGIES.iter().find(|one| one.name == name).copied()
}
