//! Inputs are kept until the backward pass, and so cannot be borrowed.

use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Bool, Device, Tensor};
use remat::Remat;

#[derive(Module, Debug)]
struct Attention {
    query: Linear,
}

struct Input<'a> {
    x: Tensor<3>,
    mask: &'a Tensor<2, Bool>,
}

impl Attention {
    fn forward(&self, x: &Tensor<3>) -> Tensor<3> {
        self.query.forward(x.clone())
    }

    fn forward_masked(&self, input: Input<'_>) -> Tensor<3> {
        self.query.forward(input.x).mask_fill(input.mask.clone().unsqueeze(), 0.0)
    }

    fn forward_named(&self, x: Tensor<3>, _name: &str) -> Tensor<3> {
        self.query.forward(x)
    }
}

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    attention: Attention,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>, mask: Tensor<2, Bool>) -> Tensor<3> {
        // Not reported: this reference lasts.
        let x = self.attention.forward_named(x, "attention");
        let x = self.attention.forward(&x);
        self.attention.forward_masked(Input { x, mask: &mask })
    }
}

fn main() {
    let device = Device::default();
    let attention = Attention { query: LinearConfig::new(2, 2).init(&device) };
    let _ = Block { attention }.forward(Tensor::zeros([1, 1, 2], &device), Tensor::full([1, 2], true, &device));
}
