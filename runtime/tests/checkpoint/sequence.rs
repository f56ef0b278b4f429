//! Groups of layers as segments: plain burn's numbers, and each layer run as often as promised.

use crate::support::{Mlp, assert_as_plain, assert_same, device, loss, numbers, run};
use burn::module::Module;
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig};
use burn::tensor::{Bool, Tensor, Tolerance};
use proptest::prelude::*;
use remat::{
    Checkpoint, Segments, checkpoint_sequence, checkpoint_sequence_with, without_strategies,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const D: usize = 4;

/// A layer that counts its runs, together with its clones.
#[derive(Module, Debug)]
struct Layer {
    linear: Linear,
    #[module(skip)]
    runs: Arc<AtomicUsize>,
}

impl Layer {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        x.clone() + self.linear.forward(x).tanh()
    }
}

fn layers(count: usize) -> Vec<Layer> {
    let linear = || LinearConfig::new(D, D).init(&device());
    let layer = |_| Layer {
        linear: linear(),
        runs: Arc::default(),
    };
    (0..count).map(layer).collect()
}

fn take_runs(layers: &[Layer]) -> Vec<usize> {
    let runs = layers.iter().map(|layer| &layer.runs);
    runs.map(|runs| runs.swap(0, Ordering::Relaxed)).collect()
}

fn every_segments() -> [Segments; 8] {
    [
        Segments::every(1),
        Segments::every(3),
        Segments::every(100),
        Segments::every(3).keep_last(),
        Segments::count(3),
        Segments::sqrt(),
        Segments::recursive(),
        Segments::recursive().keep_last(),
    ]
}

#[test]
fn gradients_are_those_of_plain_burn() {
    for segments in every_segments() {
        for tracked in [false, true] {
            let x = numbers([3, D], &device()).set_require_grad(tracked);
            assert_as_plain(&layers(7), |layers| {
                let y = checkpoint_sequence(layers, segments, x.clone(), Layer::forward);
                loss(y)
            });
        }
    }
}

/// Forward once, and once more for every segment around a layer.
#[test]
fn a_layer_runs_as_often_as_it_has_to() {
    for (segments, expected) in [
        (Segments::every(3), [2; 8]),
        (Segments::count(2), [2; 8]),
        (Segments::every(3).keep_last(), [2, 2, 2, 2, 2, 2, 1, 1]),
        // Halves of 4, 2, 1, 1; the 4 again as 2, 1 and a last one that is kept.
        (Segments::recursive(), [4, 3, 3, 2, 3, 2, 2, 2]),
    ] {
        let layers = layers(8);
        let x = numbers([3, D], &device());
        let y = checkpoint_sequence(&layers, segments, x, Layer::forward);
        assert_eq!(take_runs(&layers), [1; 8], "{segments:?}");
        let _ = y.sum().backward();
        let again = take_runs(&layers).into_iter().map(|runs| runs + 1);
        assert_eq!(again.collect::<Vec<_>>(), expected, "{segments:?}");
    }
}

/// Three levels: a checkpointed group of checkpointed groups of checkpointed layers.
#[test]
fn groups_of_groups_of_layers() {
    type Inner = Vec<Layer>;
    type Outer = Vec<Inner>;
    let forward = |groups: &Vec<Outer>, x| {
        let one = Segments::every(1);
        checkpoint_sequence(groups, one, x, |group, x| {
            checkpoint_sequence(group, Segments::every(1), x, |layers, x| {
                checkpoint_sequence(layers, Segments::every(1), x, Layer::forward)
            })
        })
    };
    let groups: Vec<Outer> = (0..2)
        .map(|_| (0..2).map(|_| layers(2)).collect())
        .collect();
    let x = numbers([3, D], &device());
    let _ = forward(&groups, x.clone()).sum().backward();
    for layers in groups.iter().flatten() {
        assert_eq!(
            take_runs(layers),
            [4, 4],
            "forward, and once for each level"
        );
    }
    assert_as_plain(&groups, |groups| loss(forward(groups, x.clone())));
}

/// What is shared gets the sum of the layers' gradients; indices are those in the whole list.
#[test]
fn shared_inputs_and_indices() {
    for segments in every_segments() {
        let x = numbers([3, D], &device());
        let first = LinearConfig::new(D, D).init(&device());
        let model: (Linear, Vec<Layer>) = (first, layers(4));
        let forward = |(condition, layers): &(Linear, Vec<Layer>)| {
            let condition = condition.forward(x.clone());
            let mask: Tensor<2, Bool> = x.clone().greater_elem(0.5);
            let y = checkpoint_sequence_with(
                Checkpoint::named("Net.layers").segments(segments),
                layers,
                (x.clone(), 0_usize),
                (condition, mask),
                |index, layer, (x, seen), (condition, mask)| {
                    assert_eq!(index, seen, "the layers come in order");
                    let x = x + condition.mask_fill(mask, 0.0) * index as f32;
                    (layer.forward(x), index + 1)
                },
            );
            loss(y.0)
        };
        let (loss, grads) = run(&model, forward);
        let (plain_loss, plain_grads) = without_strategies(|| run(&model, forward));
        assert_same(&loss, &plain_loss);
        // A segment sums what its layers give first.
        for (gradient, plain) in grads.iter().zip(&plain_grads) {
            let (gradient, plain) = (gradient.as_ref().unwrap(), plain.as_ref().unwrap());
            gradient.assert_approx_eq::<f32>(plain, Tolerance::rel_abs(1e-5, 1e-6));
        }
    }
}

#[test]
fn a_tied_layer_in_two_segments() {
    let tied = Mlp::new(D, &device());
    let layers: Vec<Mlp> = vec![tied.clone(), tied];
    let x = numbers([3, D], &device());
    assert_as_plain(&layers, |layers| {
        let y = checkpoint_sequence(layers, Segments::every(1), x.clone(), |mlp, x| {
            mlp.forward(x)
        });
        loss(y)
    });
}

/// Running statistics move once, however often a layer runs.
#[test]
fn statistics_move_once() {
    let norms = || -> Vec<BatchNorm> {
        (0..4)
            .map(|_| BatchNormConfig::new(D).init(&device()))
            .collect()
    };
    let x = numbers([8, D], &device());
    for segments in every_segments() {
        if segments == Segments::count(3) {
            continue;
        }
        let (checkpointed, plain) = (norms(), norms());
        let forward = |norms: &[BatchNorm]| {
            let y = checkpoint_sequence(norms, segments, x.clone(), BatchNorm::forward);
            let _ = y.sum().backward();
        };
        forward(&checkpointed);
        without_strategies(|| forward(&plain));
        for (one, other) in checkpointed.iter().zip(&plain) {
            let mean = |norm: &BatchNorm| norm.running_mean.value().into_data();
            assert_same(&mean(one), &mean(other));
        }
    }
}

#[test]
fn c31_a_list_of_layers_in_one_segment() {
    let layers = layers(5);
    let x = numbers([3, D], &device());
    let y = remat::checkpoint(&layers, (x,), |layers, (x,)| {
        layers.iter().fold(x, |x, layer| layer.forward(x))
    });
    let _ = y.sum().backward();
    assert_eq!(take_runs(&layers), [2; 5]);
}

#[test]
fn nothing_to_do() {
    let x = numbers([3, D], &device());
    let none: [Layer; 0] = [];
    let y = checkpoint_sequence(&none, Segments::sqrt(), x.clone(), |layer, x| {
        layer.forward(x)
    });
    assert_eq!(y.into_data(), x.into_data());
}

#[test]
fn more_segments_than_layers() {
    let options = Checkpoint::named("Net.layers").segments(Segments::count(3));
    let x = numbers([3, D], &device());
    let call = || {
        checkpoint_sequence_with(options, &layers(2), x.clone(), (), |_, layer, x, ()| {
            layer.forward(x)
        })
    };
    let plain = without_strategies(call);
    assert_eq!(plain.dims(), [3, D], "plain burn knows no segments");
    let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("a panic");
    let message = panic.downcast::<String>().expect("a message");
    for part in ["Net.layers", "Layer", "3 segments", "2 layers"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
#[should_panic(expected = "a segment has at least one layer")]
fn no_layers_a_segment() {
    let _ = Segments::every(std::hint::black_box(0));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(cube) { 4 } else { 32 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_cut_of_any_list(count in 1..12_usize, size in 1..12_usize, rule in 0..4, keep in any::<bool>()) {
        let segments = match rule {
            0 => Segments::every(size),
            1 => Segments::count(size.min(count)),
            2 => Segments::sqrt(),
            _ => Segments::recursive(),
        };
        let segments = if keep { segments.keep_last() } else { segments };
        let x = numbers([3, D], &device());
        assert_as_plain(&layers(count), |layers| {
            loss(checkpoint_sequence(layers, segments, x.clone(), Layer::forward))
        });
    }
}
