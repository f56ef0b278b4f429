//! `#[recompute(cheap)]`: the same numbers, one run more.

use crate::counting::{Counting, check, input, layer};
use crate::support::loss;
use burn::module::Module;
use burn::nn::{BatchNorm, BatchNormConfig, Gelu, LayerNorm, LayerNormConfig};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[recompute(cheap)]
    norm: LayerNorm,
    up: Counting,
    #[recompute(cheap, deterministic)]
    gelu: Gelu,
    #[recompute(cheap)]
    cheap: Counting,
    #[recompute(cheap)]
    several: Vec<Counting>,
    #[checkpoint]
    down: Counting,
    #[recompute(cheap)]
    statistics: Option<BatchNorm>,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self
            .gelu
            .forward(self.up.forward(self.norm.forward(x.clone())));
        let mut h = self.cheap.forward(h);
        for layer in &self.several {
            h = layer.forward(h);
        }
        let y = x + self.down.forward(h);
        match &self.statistics {
            Some(norm) => norm.forward(y),
            None => y,
        }
    }
}

#[test]
fn fields_of_every_kind() {
    let device = crate::support::device();
    let block = Block {
        norm: LayerNormConfig::new(4).init(&device),
        up: layer(),
        gelu: Gelu::new(),
        cheap: layer(),
        several: vec![layer(), layer()],
        down: layer(),
        statistics: Some(BatchNormConfig::new(4).init(&device)),
    };
    let x = input();
    let twice = [&block.cheap, &block.down]
        .into_iter()
        .chain(&block.several);
    check(
        &block,
        |block| loss(block.forward(x.clone())),
        twice,
        [&block.up],
    );
}
