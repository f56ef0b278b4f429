//! The list of strategies.

use burn::tensor::Device;

use super::model::{Model, model, scaled_model};
use super::{
    Bf16, Bf16Checkpoint, Bf16Recompute, Checkpoint, CheckpointQuantized, DropoutSeeded, EarlyStop,
    Every2, F16Scaled, Plain, Quantized, RecomputeAttention, RecomputeCheap, RecomputeCheckpoint,
    SequenceRecursive, Sqrt, Workload,
};

/// A row of the comparison.
#[derive(Clone, Copy)]
pub struct Strategy {
    /// Its name on the command line and in the results.
    pub name: &'static str,
    /// Makes its model, on a device that has autodiff.
    pub build: fn(&Workload, &Device) -> Box<dyn Model>,
    /// Whether it computes what plain burn does; or draws masks that plain burn does not.
    pub comparable: bool,
}

/// What the others are compared with.
pub const PLAIN: Strategy = Strategy {
    name: "plain",
    build: |sizes, device| model(device, Plain::new(sizes, device), Plain::forward),
    comparable: true,
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
        comparable: true,
    },
    Strategy {
        name: "checkpoint",
        build: |sizes, device| model(device, Checkpoint::new(sizes, device), Checkpoint::forward),
        comparable: true,
    },
    Strategy {
        name: "checkpoint_early_stop",
        build: |sizes, device| model(device, EarlyStop::new(sizes, device), EarlyStop::forward),
        comparable: true,
    },
    Strategy {
        name: "every2",
        build: |sizes, device| model(device, Every2::new(sizes, device), Every2::forward),
        comparable: true,
    },
    Strategy {
        name: "sqrt",
        build: |sizes, device| model(device, Sqrt::new(sizes, device), Sqrt::forward),
        comparable: true,
    },
    Strategy {
        name: "sequence_recursive",
        build: |sizes, device| {
            let stack = SequenceRecursive::new(sizes, device);
            model(device, stack, SequenceRecursive::forward)
        },
        comparable: true,
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
        comparable: true,
    },
    Strategy {
        name: "recompute_attention",
        build: |sizes, device| {
            let stack = RecomputeAttention::new(sizes, device);
            model(device, stack, RecomputeAttention::forward)
        },
        comparable: true,
    },
    Strategy {
        name: "recompute_checkpoint",
        build: |sizes, device| {
            let stack = RecomputeCheckpoint::new(sizes, device);
            model(device, stack, RecomputeCheckpoint::forward)
        },
        comparable: true,
    },
    Strategy {
        name: "quantize8",
        build: |sizes, device| {
            let stack = Quantized::<8>::new(sizes, device);
            model(device, stack, Quantized::<8>::forward)
        },
        comparable: true,
    },
    Strategy {
        name: "quantize4",
        build: |sizes, device| {
            let stack = Quantized::<4>::new(sizes, device);
            model(device, stack, Quantized::<4>::forward)
        },
        comparable: true,
    },
    Strategy {
        name: "quantize2",
        build: |sizes, device| {
            let stack = Quantized::<2>::new(sizes, device);
            model(device, stack, Quantized::<2>::forward)
        },
        comparable: true,
    },
    Strategy {
        name: "checkpoint_quantize8",
        build: |sizes, device| {
            let stack = CheckpointQuantized::new(sizes, device);
            model(device, stack, CheckpointQuantized::forward)
        },
        comparable: true,
    },
    Strategy {
        name: "bf16",
        build: |sizes, device| model(device, Bf16::new(sizes, device), Bf16::forward),
        comparable: true,
    },
    Strategy {
        name: "bf16_recompute",
        build: |sizes, device| {
            let stack = Bf16Recompute::new(sizes, device);
            model(device, stack, Bf16Recompute::forward)
        },
        comparable: true,
    },
    Strategy {
        name: "bf16_checkpoint",
        build: |sizes, device| {
            let stack = Bf16Checkpoint::new(sizes, device);
            model(device, stack, Bf16Checkpoint::forward)
        },
        comparable: true,
    },
    Strategy {
        name: "f16_scaled",
        build: |sizes, device| {
            let stack = F16Scaled::new(sizes, device);
            scaled_model(device, stack, F16Scaled::forward)
        },
        comparable: true,
    },
    Strategy {
        name: "dropout_plain",
        build: |sizes, device| {
            let stack = Plain::new(&sizes.with_dropout(), device);
            model(device, stack, Plain::forward)
        },
        comparable: false,
    },
    Strategy {
        name: "dropout_seeded",
        build: |sizes, device| {
            let stack = DropoutSeeded::new(&sizes.with_dropout(), device);
            model(device, stack, DropoutSeeded::forward)
        },
        comparable: false,
    },
];

/// The strategy of that name.
#[must_use]
pub fn strategy(name: &str) -> Option<Strategy> {
    STRATEGIES.iter().find(|one| one.name == name).copied()
}
