//! A layer that is put away with others, where a call of it would be missed.

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

struct Pair<'a> {
    first: &'a Linear,
    second: &'a Linear,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let pair = Pair { first: &self.up, second: &self.layers[0] };
        let array = [&self.up, &self.layers[1]];
        let list = vec![&self.up];
        let collected: Vec<&Linear> = self.layers.iter().collect();
        let x = pair.second.forward(pair.first.forward(x));
        let x = array.iter().fold(x, |x, layer| layer.forward(x));
        collected[0].forward(list[0].forward(x))
    }
}

fn main() {}
