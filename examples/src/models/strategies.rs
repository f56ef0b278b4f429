//! The list of strategies.

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::model::{Model, model, scaled_model};
use super::{
    Bf16, Bf16Checkpoint, Bf16Recompute, Checkpoint, CheckpointQuantized, DropoutSeeded, EarlyStop,
    Every2, F16Scaled, Mlp, MlpInplace, Plain, Quantized, RecomputeAttention, RecomputeCheap,
    RecomputeCheckpoint, Resnet, ResnetInplace, SequenceRecursive, Sqrt, Workload,
};
use super::{mlp, resnet};

/// A row of the comparison.
#[derive(Clone, Copy)]
pub struct Strategy {
    /// Its name on the command line and in the results.
    pub name: &'static str,
    /// Makes its model, on a device that has autodiff.
    pub build: fn(&Workload, &Device) -> Box<dyn Model>,
    /// Whether it computes what plain burn does; or draws masks that plain burn does not.
    pub comparable: bool,
    /// The name of the plain model that it is compared with: another one for another workload.
    pub against: &'static str,
}

/// The plain model of the workload whose sizes are options.
pub const TRANSFORMER: &str = "plain";
const MLP: &str = "mlp_relu_plain";
const CNN: &str = "cnn_plain";

/// What most others are compared with.
const PLAIN: Strategy = Strategy {
    name: TRANSFORMER,
    build: |sizes, device| stack(sizes, device, Plain::new(sizes, device), Plain::forward),
    comparable: true,
    against: TRANSFORMER,
};

/// Every strategy. A new one is a model in a file of its own, and an entry here.
pub const STRATEGIES: &[Strategy] = &[
    PLAIN,
    Strategy {
        name: "balanced",
        build: |sizes, device| {
            // burn's own: what is cheap to compute is computed again in the backward pass.
            let device = &device.clone().gradient_checkpointing();
            stack(sizes, device, Plain::new(sizes, device), Plain::forward)
        },
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "checkpoint",
        build: |sizes, device| {
            stack(
                sizes,
                device,
                Checkpoint::new(sizes, device),
                Checkpoint::forward,
            )
        },
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "checkpoint_early_stop",
        build: |sizes, device| {
            stack(
                sizes,
                device,
                EarlyStop::new(sizes, device),
                EarlyStop::forward,
            )
        },
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "every2",
        build: |sizes, device| stack(sizes, device, Every2::new(sizes, device), Every2::forward),
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "sqrt",
        build: |sizes, device| stack(sizes, device, Sqrt::new(sizes, device), Sqrt::forward),
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "sequence_recursive",
        build: |sizes, device| {
            let blocks = SequenceRecursive::new(sizes, device);
            stack(sizes, device, blocks, SequenceRecursive::forward)
        },
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "recompute_cheap",
        build: |sizes, device| {
            stack(
                sizes,
                device,
                RecomputeCheap::new(sizes, device),
                RecomputeCheap::forward,
            )
        },
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "recompute_attention",
        build: |sizes, device| {
            let blocks = RecomputeAttention::new(sizes, device);
            stack(sizes, device, blocks, RecomputeAttention::forward)
        },
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "recompute_checkpoint",
        build: |sizes, device| {
            let blocks = RecomputeCheckpoint::new(sizes, device);
            stack(sizes, device, blocks, RecomputeCheckpoint::forward)
        },
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "quantize8",
        build: |sizes, device| {
            let blocks = Quantized::<8>::new(sizes, device);
            stack(sizes, device, blocks, Quantized::<8>::forward)
        },
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "quantize4",
        build: |sizes, device| {
            let blocks = Quantized::<4>::new(sizes, device);
            stack(sizes, device, blocks, Quantized::<4>::forward)
        },
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "quantize2",
        build: |sizes, device| {
            let blocks = Quantized::<2>::new(sizes, device);
            stack(sizes, device, blocks, Quantized::<2>::forward)
        },
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "checkpoint_quantize8",
        build: |sizes, device| {
            let blocks = CheckpointQuantized::new(sizes, device);
            stack(sizes, device, blocks, CheckpointQuantized::forward)
        },
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "bf16",
        build: |sizes, device| stack(sizes, device, Bf16::new(sizes, device), Bf16::forward),
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "bf16_recompute",
        build: |sizes, device| {
            let blocks = Bf16Recompute::new(sizes, device);
            stack(sizes, device, blocks, Bf16Recompute::forward)
        },
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "bf16_checkpoint",
        build: |sizes, device| {
            let blocks = Bf16Checkpoint::new(sizes, device);
            stack(sizes, device, blocks, Bf16Checkpoint::forward)
        },
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "f16_scaled",
        build: |sizes, device| {
            let blocks = F16Scaled::new(sizes, device);
            scaled_model(device, sizes.shape(), blocks, F16Scaled::forward)
        },
        comparable: true,
        against: TRANSFORMER,
    },
    Strategy {
        name: "dropout_plain",
        build: |sizes, device| {
            let blocks = Plain::new(&sizes.with_dropout(), device);
            stack(sizes, device, blocks, Plain::forward)
        },
        comparable: false,
        against: TRANSFORMER,
    },
    Strategy {
        name: "dropout_seeded",
        build: |sizes, device| {
            let blocks = DropoutSeeded::new(&sizes.with_dropout(), device);
            stack(sizes, device, blocks, DropoutSeeded::forward)
        },
        comparable: false,
        against: TRANSFORMER,
    },
    Strategy {
        name: MLP,
        build: |_, device| {
            let network = Mlp::new(mlp::LAYERS, mlp::WIDTH, device);
            model(device, [mlp::BATCH, mlp::WIDTH], network, Mlp::forward)
        },
        comparable: true,
        against: MLP,
    },
    Strategy {
        name: "mlp_relu_inplace",
        build: |_, device| {
            let network = MlpInplace::new(mlp::LAYERS, mlp::WIDTH, device);
            model(
                device,
                [mlp::BATCH, mlp::WIDTH],
                network,
                MlpInplace::forward,
            )
        },
        comparable: true,
        against: MLP,
    },
    Strategy {
        name: CNN,
        build: |_, device| model(device, resnet::IMAGES, Resnet::new(device), Resnet::forward),
        comparable: true,
        against: CNN,
    },
    Strategy {
        name: "cnn_inplace",
        build: |_, device| {
            model(
                device,
                resnet::IMAGES,
                ResnetInplace::new(device),
                ResnetInplace::forward,
            )
        },
        comparable: true,
        against: CNN,
    },
];

/// A stack of transformer blocks of these sizes.
fn stack<M: Module + 'static>(
    sizes: &Workload,
    device: &Device,
    module: M,
    forward: fn(&M, Tensor<3>) -> Tensor<3>,
) -> Box<dyn Model> {
    model(device, sizes.shape(), module, forward)
}

/// The strategy of that name.
#[must_use]
pub fn strategy(name: &str) -> Option<Strategy> {
    STRATEGIES.iter().find(|one| one.name == name).copied()
}
