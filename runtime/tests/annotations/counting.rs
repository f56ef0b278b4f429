//! Layers that count how often they run.

use crate::support::{assert_all_same, assert_same, device, numbers, run};
use burn::module::{Module, ModuleDisplay};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::Tensor;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub const WIDTH: usize = 4;

/// A linear layer that counts its runs, together with its clones.
#[derive(Module, Debug)]
pub struct Counting {
    pub linear: Linear,
    #[module(skip)]
    runs: Arc<AtomicUsize>,
}

impl Counting {
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.linear.forward(x).tanh()
    }

    pub fn take_runs(&self) -> usize {
        self.runs.swap(0, Ordering::Relaxed)
    }
}

/// What generic code calls.
pub trait Forward: Module + ModuleDisplay + 'static {
    fn forward(&self, x: Tensor<2>) -> Tensor<2>;
}

impl Forward for Counting {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        Counting::forward(self, x)
    }
}

pub fn layer() -> Counting {
    let linear = LinearConfig::new(WIDTH, WIDTH).init(&device());
    // burn initialises at the first use; until then a clone would get other weights.
    linear.weight.val();
    Counting {
        linear,
        runs: Arc::default(),
    }
}

pub fn input() -> Tensor<2> {
    numbers([3, WIDTH], &device())
}

/// Compares loss and gradients with plain burn's; in one step the layers of `twice` must run twice as often as there,
/// those of `once` as often.
pub fn check<'a, M: Module>(
    model: &M,
    forward: impl Fn(&M) -> Tensor<1>,
    twice: impl IntoIterator<Item = &'a Counting>,
    once: impl IntoIterator<Item = &'a Counting>,
) {
    let (twice, once): (Vec<_>, Vec<_>) = (twice.into_iter().collect(), once.into_iter().collect());
    let (loss, grads) = run(model, &forward);
    let (runs_twice, runs_once) = (take_runs(&twice), take_runs(&once));
    let (plain_loss, plain_grads) = remat::without_strategies(|| run(model, &forward));

    assert!(grads.iter().any(Option::is_some), "nothing was compared");
    assert_same(&loss, &plain_loss);
    assert_all_same(&grads, &plain_grads);
    let (plain_twice, plain_once) = (take_runs(&twice), take_runs(&once));
    assert!(plain_twice.iter().chain(&plain_once).all(|runs| *runs > 0));
    let doubled: Vec<usize> = plain_twice.iter().map(|runs| 2 * runs).collect();
    assert_eq!(runs_twice, doubled, "runs of annotated layers");
    assert_eq!(runs_once, plain_once, "runs of layers without annotation");
}

fn take_runs(layers: &[&Counting]) -> Vec<usize> {
    layers.iter().map(|layer| layer.take_runs()).collect()
}
