//! An annotated call among the tokens of a macro, which remat cannot see through.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    up: Linear,
    #[checkpoint]
    layers: Vec<Linear>,
    down: Linear,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Vec<Tensor<3>> {
        // Not reported: no call, and a call of another field.
        assert_eq!(self.layers.len(), 3, "{:?} {}", self.up, self.down.forward(x.clone()));
        println!("{}", self.up.forward(x.clone()));
        for layer in &self.layers {
            dbg!(layer.forward(x.clone()));
        }
        dbg!(self.layers.iter().fold(x.clone(), |x, layer| layer.forward(x)));
        vec![self.up.forward(x)]
    }
}

fn main() {}
