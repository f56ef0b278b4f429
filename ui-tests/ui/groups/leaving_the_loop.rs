//! Ways out of the body of a loop over groups.

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
    fn stops(&self, mut x: Tensor<2>) -> Tensor<2> {
        for layer in &self.layers {
            x = layer.forward(x);
            if x.dims()[0] == 0 {
                break;
            }
        }
        x
    }

    fn skips(&self, mut x: Tensor<2>) -> Tensor<2> {
        for (i, layer) in self.layers.iter().enumerate() {
            if i == 2 {
                continue;
            }
            x = layer.forward(x);
        }
        x
    }

    fn returns(&self, mut x: Tensor<2>) -> Tensor<2> {
        for layer in &self.layers {
            x = layer.forward(x);
            if x.dims()[0] == 0 {
                return x;
            }
        }
        x
    }

    fn fails(&self, mut x: Tensor<2>) -> Option<Tensor<2>> {
        for layer in &self.layers {
            x = layer.forward(x);
            checked(&x)?;
        }
        Some(x)
    }
}

fn main() {}

fn checked(x: &Tensor<2>) -> Option<()> {
    (x.dims()[0] > 0).then_some(())
}
