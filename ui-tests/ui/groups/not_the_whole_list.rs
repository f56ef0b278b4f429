//! Layers that run in groups, called in other ways than in a loop over all of them.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Stack {
    #[checkpoint(every = 4)]
    layers: Vec<Linear>,
    scale: f64,
}

#[remat::forward]
impl Stack {
    fn one(&self, x: Tensor<2>) -> Tensor<2> {
        self.layers[0].forward(x)
    }

    fn backwards(&self, mut x: Tensor<2>) -> Tensor<2> {
        for layer in self.layers.iter().rev() {
            x = layer.forward(x);
        }
        x
    }

    fn a_part(&self, mut x: Tensor<2>) -> Tensor<2> {
        for layer in self.layers.iter().skip(1) {
            x = layer.forward(x);
        }
        x
    }

    fn two_lists(&self, mut x: Tensor<2>) -> Tensor<2> {
        for (layer, _) in self.layers.iter().zip(0..) {
            x = layer.forward(x);
        }
        x
    }

    fn a_binding(&self, mut x: Tensor<2>) -> Tensor<2> {
        let layers = &self.layers;
        for layer in layers {
            x = layer.forward(x);
        }
        x
    }

    fn by_index(&self, mut x: Tensor<2>) -> Tensor<2> {
        for i in 0..self.layers.len() {
            x = self.layers[i].forward(x);
        }
        x
    }

    fn an_iterator(&self, mut x: Tensor<2>) -> Tensor<2> {
        let mut layers = self.layers.iter();
        while let Some(layer) = layers.next() {
            x = layer.forward(x);
        }
        x
    }

    fn mapped(&self, x: Tensor<2>) -> Tensor<2> {
        let outputs: Vec<_> = self.layers.iter().map(|layer| layer.forward(x.clone())).collect();
        Tensor::cat(outputs, 0)
    }
}

fn main() {}
