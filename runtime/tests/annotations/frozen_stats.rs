//! `#[frozen_stats]`: batch normalisation with the running statistics, in training.

use crate::support::{assert_same, device, loss, numbers};
use burn::module::Module;
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig};
use burn::tensor::Tensor;
use remat::Remat;

const WIDTH: usize = 4;

#[derive(Module, Debug, Remat)]
struct Net {
    #[frozen_stats]
    backbone: Backbone,
    #[frozen_stats(update)]
    norm: BatchNorm,
    #[frozen_stats]
    norms: Vec<BatchNorm>,
    /// Trains as always.
    plain: BatchNorm,
}

#[derive(Module, Debug)]
struct Backbone {
    linear: Linear,
    norms: [BatchNorm; 2],
}

impl Backbone {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let x = self.linear.forward(x);
        self.norms.iter().fold(x, |x, norm| norm.forward(x))
    }
}

#[remat::forward]
impl Net {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let mut x = self.norm.forward(self.backbone.forward(x));
        for norm in &self.norms {
            x = norm.forward(x);
        }
        self.plain.forward(x)
    }
}

fn mean(norm: &BatchNorm) -> Vec<f32> {
    norm.running_mean
        .value_sync()
        .into_data()
        .try_to_vec()
        .unwrap()
}

#[test]
fn fields_of_every_kind() {
    let device = device();
    let norm = || BatchNormConfig::new(WIDTH).init(&device);
    let net = Net {
        backbone: Backbone {
            linear: LinearConfig::new(WIDTH, WIDTH).init(&device),
            norms: [norm(), norm()],
        },
        norm: norm(),
        norms: vec![norm(), norm()],
        plain: norm(),
    };
    let x = numbers([6, WIDTH], &device) + 1.0;
    // All norms but the last one are the identity, up to epsilon: mean 0 and variance 1 are what they start with.
    let y = net.forward(x.clone());
    let scale = 1.00001_f32.powf(-2.5);
    let expected = net
        .plain
        .clone()
        .forward(net.backbone.linear.forward(x) * scale);
    y.to_data().assert_approx_eq::<f32>(
        &expected.to_data(),
        burn::tensor::Tolerance::rel_abs(1e-3, 1e-4),
    );

    for norm in net.norms.iter().chain(&net.backbone.norms) {
        assert_eq!(mean(norm), [0.0; WIDTH], "untouched");
    }
    assert_ne!(mean(&net.norm), [0.0; WIDTH], "updated");
    assert_ne!(mean(&net.plain), [0.0; WIDTH], "in training");

    let grads = loss(y).backward();
    for norm in net
        .norms
        .iter()
        .chain(&net.backbone.norms)
        .chain([&net.norm])
    {
        assert!(norm.gamma.val().grad(&grads).is_some() && norm.beta.val().grad(&grads).is_some());
    }
    let inference = net.valid();
    let x = numbers([6, WIDTH], &device).inner();
    let plain = remat::without_strategies(|| inference.forward(x.clone()));
    assert_same(&inference.forward(x).into_data(), &plain.into_data());
}
