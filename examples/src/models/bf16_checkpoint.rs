//! Every block keeps its input only, in bf16, and runs again with its products in bf16.

use burn::module::Module;
use burn::tensor::{Device, FloatDType, Tensor};
use remat::Remat;
use remat::amp::widened;

use super::Workload;
use super::bf16::HalfBlock;

/// Blocks, one after the other.
#[derive(Module, Debug, Remat)]
pub struct Bf16Checkpoint {
    #[checkpoint]
    blocks: Vec<HalfBlock>,
}

impl Bf16Checkpoint {
    /// A stack with fresh parameters.
    #[must_use]
    pub fn new(workload: &Workload, device: &Device) -> Self {
        let blocks = (0..workload.layers).map(|_| HalfBlock::new(workload, device));
        Self {
            blocks: blocks.collect(),
        }
    }
}

#[remat::forward]
impl Bf16Checkpoint {
    /// `[batch, seq, dim]` in and out. From block to block it goes in bf16.
    #[must_use]
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let mut x = x.cast(FloatDType::BF16);
        for block in &self.blocks {
            x = block.forward(x);
        }
        widened(x)
    }
}
