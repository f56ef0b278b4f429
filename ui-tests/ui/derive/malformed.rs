//! Every way to write `#[checkpoint]` that is none: the legal ones are listed.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint = 3]
    a: Linear,
    #[checkpoint("deterministic")]
    b: Linear,
    #[checkpoint(deterministic = true)]
    c: Linear,
    #[checkpoint(deterministic(yes))]
    d: Linear,
    #[checkpoint[deterministic]]
    e: Linear,
    #[checkpoint()]
    f: Linear,
    #[checkpoint(deterministic deterministic)]
    g: Linear,
    // Legal.
    #[checkpoint(deterministic,)]
    h: Linear,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let x = self.c.forward(self.b.forward(self.a.forward(x)));
        let x = self.f.forward(self.e.forward(self.d.forward(x)));
        self.h.forward(self.g.forward(x))
    }
}

fn main() {}
