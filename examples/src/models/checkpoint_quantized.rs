//! Every block keeps its input only, in 8 bits an element, and runs again from that.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use remat::Remat;

use super::{Block, Workload};

/// Blocks, one after the other.
#[derive(Module, Debug, Remat)]
pub struct CheckpointQuantized {
    #[checkpoint]
    #[quantize(bits = 8)]
    blocks: Vec<Block>,
}

impl CheckpointQuantized {
    /// A stack with fresh parameters.
    #[must_use]
    pub fn new(workload: &Workload, device: &Device) -> Self {
        let blocks = (0..workload.layers).map(|_| Block::new(workload, device));
        Self {
            blocks: blocks.collect(),
        }
    }
}

#[remat::forward]
impl CheckpointQuantized {
    /// `[batch, seq, dim]` in and out.
    #[must_use]
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let mut x = x;
        for block in &self.blocks {
            x = block.forward(x);
        }
        x
    }
}
