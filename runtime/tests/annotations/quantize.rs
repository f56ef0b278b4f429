//! `#[quantize(..)]`: the same values, and gradients that are near.

use crate::counting::{Counting, WIDTH, input, layer};
use crate::support::{assert_same, error, loss, run};
use burn::module::Module;
use burn::nn::{Gelu, Relu};
use burn::tensor::Tensor;
use remat::Remat;

const BITS: u32 = 8;

#[derive(Module, Debug, Remat)]
struct Block {
    first: Counting,
    #[quantize(bits = 8, min_elements = 0)]
    up: Counting,
    #[quantize(bits = 1, min_elements = 0)]
    relu: Relu,
    #[quantize(bits = BITS, group = 16, rounding = nearest, min_elements = 0)]
    layers: Vec<Counting>,
    #[checkpoint]
    #[quantize(bits = 8, min_elements = 0)]
    segment: Option<Counting>,
    #[quantize(bits = 8, min_elements = 0)]
    #[recompute(cheap)]
    gelu: Gelu,
    #[checkpoint(every = 2)]
    #[quantize(bits = 8, min_elements = 0)]
    groups: Vec<Counting>,
    last: Counting,
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let mut x = self.relu.forward(self.up.forward(self.first.forward(x)));
        for layer in &self.layers {
            x = layer.forward(x);
        }
        if let Some(segment) = &self.segment {
            x = segment.forward(x);
        }
        let mut x = self.gelu.forward(x);
        for group in &self.groups {
            x = group.forward(x);
        }
        self.last.forward(x)
    }
}

#[test]
fn fields_of_every_kind() {
    let layers = || vec![layer(), layer(), layer()];
    let block = Block {
        first: layer(),
        up: layer(),
        relu: Relu::new(),
        layers: layers(),
        segment: Some(layer()),
        gelu: Gelu::new(),
        groups: layers(),
        last: layer(),
    };
    let x = input();
    let forward = |block: &Block| loss(block.forward(x.clone()));
    let (value, grads) = run(&block, forward);
    let once = [&block.first, &block.up, &block.last]
        .into_iter()
        .chain(&block.layers);
    assert!(once.map(Counting::take_runs).all(|runs| runs == 1));
    let twice = block.segment.iter().chain(&block.groups);
    assert!(twice.map(Counting::take_runs).all(|runs| runs == 2));

    let (plain_value, plain) = remat::without_strategies(|| run(&block, forward));
    assert_same(&value, &plain_value);
    // Eight bits and some layers' compressed inputs: near, and where one was applied not the same.
    let pairs = grads.chunks(1).zip(plain.chunks(1));
    let errors: Vec<f64> = pairs
        .map(|(gradient, plain)| error(gradient, plain))
        .collect();
    assert_eq!(
        errors.len(),
        2 * 10,
        "weights and biases of ten layers of width {WIDTH}"
    );
    assert!(errors.iter().all(|error| *error < 0.5), "{errors:?}");
    assert!(
        errors.iter().filter(|error| **error > 0.0).count() > 5,
        "{errors:?}"
    );
}
