//! Options that are found when their constant is evaluated, or have the wrong type; and an input that is borrowed.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

const BITS: u32 = 3;

#[derive(Module, Debug, Remat)]
struct Block {
    #[quantize(bits = BITS)]
    three: Linear,
    #[quantize(bits = "8".len())]
    usize_bits: Linear,
    #[quantize(bits = 8)]
    borrowed: Borrowed,
}

#[derive(Module, Debug)]
struct Borrowed {
    linear: Linear,
}

impl Borrowed {
    fn forward(&self, x: &Tensor<2>) -> Tensor<2> {
        self.linear.forward(x.clone())
    }
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let x = self.usize_bits.forward(self.three.forward(x));
        self.borrowed.forward(&x)
    }
}

fn main() {}
