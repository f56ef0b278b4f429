//! A field whose type has a `forward`, and is no burn module: only rustc knows, and says it in remat's words.
//!
//! With `#[derive(Module)]` on the struct, burn's derive reports the field as well.

use burn::tensor::Tensor;
use remat::Remat;

struct Doubling;

impl Doubling {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        x * 2.0
    }
}

#[derive(Remat)]
struct Block {
    #[checkpoint]
    doubling: Doubling,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        self.doubling.forward(x)
    }
}

fn main() {}
