//! What the body of a loop over groups cannot reach: `self`, and variables that it changes in place.

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
    fn of_self(&self, mut x: Tensor<2>) -> Tensor<2> {
        for layer in &self.layers {
            x = layer.forward(x) * self.scale;
        }
        x
    }

    fn collects(&self, mut x: Tensor<2>) -> Tensor<2> {
        let mut outputs = Vec::new();
        for layer in &self.layers {
            x = layer.forward(x);
            outputs.push(x.clone());
        }
        Tensor::cat(outputs, 0)
    }

    fn fills(&self, mut x: Tensor<2>) -> Tensor<2> {
        let mut outputs = [x.clone(), x.clone()];
        for (i, layer) in self.layers.iter().enumerate() {
            x = layer.forward(x);
            outputs[i] = x.clone();
        }
        Tensor::cat(outputs.to_vec(), 0)
    }

    fn counts(&self, x: Tensor<2>) -> Tensor<2> {
        let mut n = 0;
        let y = self.layers.iter().fold(x, |x, layer| {
            n += 1;
            layer.forward(x)
        });
        y * n
    }
}

fn main() {}
