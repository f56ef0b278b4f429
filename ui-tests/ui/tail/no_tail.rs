//! `early_stop` on layers that have no tail, and around a body that may read their outputs.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Stack {
    #[checkpoint(early_stop)]
    first: Linear,
    #[checkpoint(every = 2, early_stop)]
    layers: Vec<Linear>,
}

#[remat::forward]
impl Stack {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.first.forward(x)
    }
}

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    down: Linear,
    #[remat(tail)]
    last: Linear,
}

#[remat::forward]
impl Block {
    fn forward_masked(&self, x: Tensor<2>, _: usize) -> Tensor<2> {
        self.last.forward(self.down.forward(x))
    }

    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.down.forward(x)
    }
}

#[derive(Module, Debug, Remat)]
struct Mlp<M: Module> {
    #[checkpoint(early_stop)]
    layer: M,
    #[checkpoint(sqrt, early_stop)]
    blocks: [Block; 3],
    #[checkpoint(early_stop)]
    last: Option<Block>,
}

#[remat::forward]
impl<M: Module> Mlp<M> {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let x = self.blocks.iter().fold(x, |x, block| block.forward(x));
        match &self.last {
            Some(last) => last.forward_masked(x, 3),
            None => x,
        }
    }
}

#[derive(Module, Debug, Remat)]
struct Reading {
    #[checkpoint(every = 2, early_stop)]
    layers: Vec<Block>,
}

#[remat::forward]
impl Reading {
    fn forward(&self, mut x: Tensor<2>) -> Tensor<2> {
        for layer in &self.layers {
            x = layer.forward(x).tanh();
        }
        x
    }
}

fn main() {}
