//! Every second block keeps its input only; in those between, what is cheap is computed again.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use remat::Remat;

use super::recompute_attention::LeanBlock;
use super::{Block, Workload};

/// Blocks, one after the other, in pairs.
#[derive(Module, Debug)]
pub struct RecomputeCheckpoint {
    pairs: Vec<Pair>,
}

impl RecomputeCheckpoint {
    /// A stack with fresh parameters.
    #[must_use]
    pub fn new(workload: &Workload, device: &Device) -> Self {
        let firsts = (0..workload.layers).step_by(2);
        let pairs = firsts.map(|first| Pair::new(first + 1 < workload.layers, workload, device));
        Self {
            pairs: pairs.collect(),
        }
    }

    /// `[batch, seq, dim]` in and out.
    #[must_use]
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.pairs.iter().fold(x, |x, pair| pair.forward(x))
    }
}

/// Two blocks, but for the last of an odd number.
#[derive(Module, Debug, Remat)]
struct Pair {
    #[checkpoint]
    first: Block,
    second: Option<LeanBlock>,
}

impl Pair {
    fn new(has_second: bool, workload: &Workload, device: &Device) -> Self {
        Self {
            first: Block::new(workload, device),
            second: has_second.then(|| LeanBlock::new(workload, device)),
        }
    }
}

#[remat::forward]
impl Pair {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let x = self.first.forward(x);
        match &self.second {
            Some(second) => second.forward(x),
            None => x,
        }
    }
}
