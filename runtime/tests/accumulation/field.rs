//! Cases of the field, with their numbers.

use crate::support::{device, gradient, loss, weight};
use burn::module::Module;
use burn::nn::Linear;
use burn::optim::{GradientsAccumulator, GradientsParams, SgdConfig};
use burn::tensor::{Device, Tensor};
use remat::train::Accumulator;
use remat::train::accumulator::{Reduction, Schedule, WindowIsOpen};

/// A micro-batch of equal tokens: its mean loss (and gradient), and how many tokens.
type Tokens = (f32, usize);

fn window(
    reduction: Reduction,
    micro_batches: &[Tokens],
    of: impl Fn(&Linear, Tokens, &Device) -> (Tensor<1>, f64),
) -> f32 {
    let device = device();
    let model = weight(&device);
    let mut accumulator = Accumulator::new(micro_batches.len())
        .unwrap()
        .reduction(reduction);
    let mut windows = micro_batches.iter().filter_map(|tokens| {
        let (loss, weight) = of(&model, *tokens, &device);
        accumulator.add(loss, weight, &model).unwrap()
    });
    gradient(&model, &windows.next().unwrap().mean(&model).unwrap())
}

/// G01: 1 token with loss 4, 3 tokens with loss 1: 7/4, not (4 + 1) / 2.
#[test]
fn g01_tokens_weigh_the_same_in_every_micro_batch() {
    let mean = |model: &Linear, (value, tokens): Tokens, device: &Device| {
        (loss(model, value, device), tokens as f64)
    };
    assert_eq!(window(Reduction::Mean, &[(4.0, 1), (1.0, 3)], mean), 1.75);

    let device = device();
    let model = weight(&device).map(&mut Ones);
    let mut accumulator = Accumulator::new(2).unwrap();
    let _ = accumulator
        .add(loss(&model, 4.0, &device), 1, &model)
        .unwrap();
    let window = accumulator
        .add(loss(&model, 1.0, &device), 3, &model)
        .unwrap();
    assert_eq!(window.unwrap().loss(), 1.75);
}

struct Ones;
impl burn::module::ModuleMapper for Ones {
    fn map_float<const D: usize>(
        &mut self,
        param: burn::module::Param<Tensor<D>>,
    ) -> burn::module::Param<Tensor<D>> {
        param.map(|value| value.detach().ones_like().require_grad())
    }
}

/// G02: a loss that is divided by the window's tokens already is not divided again (bug: 1/N of it, or N times).
#[test]
fn g02_what_is_normalised_is_not_normalised_again() {
    let tokens = [(4.0, 1), (1.0, 3)];
    let divided = |model: &Linear, (value, tokens): Tokens, device: &Device| {
        (
            loss(model, value * tokens as f32 / 4.0, device),
            tokens as f64,
        )
    };
    assert_eq!(window(Reduction::Total, &tokens, divided), 1.75);

    // Or as a sum, whose weights are shares of the whole.
    let shares = |model: &Linear, (value, tokens): Tokens, device: &Device| {
        (
            loss(model, value * tokens as f32 / 4.0, device),
            tokens as f64 / 4.0,
        )
    };
    assert_eq!(window(Reduction::Sum, &tokens, shares), 1.75);
}

/// G04: what is left at the end of an epoch is stepped or dropped, and never gets into the next.
#[test]
fn g04_nothing_leaks_into_the_next_epoch() {
    let device = device();
    let model = weight(&device);
    let mut accumulator = Accumulator::new(2).unwrap();
    let mut epoch = |number, drop: bool| {
        accumulator.begin_epoch(number).unwrap();
        let mut gradients = Vec::new();
        for value in [1.0, 3.0, 5.0] {
            let loss = loss(&model, value, &device);
            gradients.extend(accumulator.add(loss, 2, &model).unwrap());
        }
        assert_eq!(
            accumulator.begin_epoch(number + 1),
            Err(WindowIsOpen { micro_batches: 1 })
        );
        if drop {
            assert_eq!(accumulator.drop_window(), 1);
        } else {
            gradients.extend(accumulator.finish());
        }
        assert_eq!(
            (accumulator.pending(), accumulator.finish().is_none()),
            (0, true)
        );
        let mean = |window: remat::train::Window| gradient(&model, &window.mean(&model).unwrap());
        gradients.into_iter().map(mean).collect::<Vec<_>>()
    };
    assert_eq!(epoch(0, false), [2.0, 5.0]); // 5, not 5 / 2: by what it holds
    assert_eq!(epoch(1, true), [2.0]);
    assert_eq!(epoch(2, false), [2.0, 5.0]);
}

/// G13: sizes 4, 4, 2: the mean of ten samples, not of three means.
#[test]
fn g13_a_smaller_last_micro_batch_counts_less() {
    let mean = |model: &Linear, (value, tokens): Tokens, device: &Device| {
        (loss(model, value, device), tokens as f64)
    };
    let found = window(Reduction::Mean, &[(1.0, 4), (2.0, 4), (8.0, 2)], mean);
    assert_eq!(found, 2.8); // (4 + 8 + 16) / 10, not 11 / 3
}

/// G15: what belongs to the end of a window needs a window. A loop that would clip and step in every micro-batch can only
/// do so where there is one.
#[test]
fn g15_there_is_nothing_to_step_with_inside_a_window() {
    let device = device();
    let mut model = weight(&device);
    let mut optimizer = SgdConfig::new().init();
    let mut accumulator = Accumulator::new(4).unwrap();
    let value = |model: &Linear| model.weight.val().into_scalar::<f32>();
    let (before, mut steps) = (value(&model), 0);
    for micro_batch in 1..=8 {
        let loss = loss(&model, 1.0, &device);
        if let Some(window) = accumulator.add(loss, 1, &model).unwrap() {
            let gradients = window.mean(&model).unwrap();
            model = optimizer.step(0.5, model, gradients);
            steps += 1;
        }
        let expected = before - 0.5 * (micro_batch / 4) as f32;
        assert!((value(&model) - expected).abs() < 1e-6);
    }
    assert_eq!(steps, 2);
}

/// G16: sum or mean is said, and neither depends on N: burn's accumulator sums.
#[test]
fn g16_the_reduction_is_explicit() {
    let device = device();
    let model = weight(&device);
    let mut burns = GradientsAccumulator::new();
    for _ in 0..4 {
        let grads = loss(&model, 3.0, &device).backward();
        burns.accumulate(&model, GradientsParams::from_grads(grads, &model));
    }
    assert_eq!(gradient(&model, &burns.grads()), 12.0);

    let once =
        |model: &Linear, (value, _): Tokens, device: &Device| (loss(model, value, device), 1.0);
    let micro_batches = [(3.0, 1); 4];
    assert_eq!(window(Reduction::Mean, &micro_batches, once), 3.0);
    assert_eq!(window(Reduction::Sum, &micro_batches, once), 3.0);
    assert_eq!(window(Reduction::Total, &micro_batches, once), 12.0);
}

/// The size of windows may change with the epoch.
#[test]
fn schedules_of_the_window_size() {
    let device = device();
    let model = weight(&device);
    let schedule = Schedule::constant(1).unwrap().from_epoch(1, 2).unwrap();
    let schedule = schedule.from_epoch(2, 4).unwrap();
    let mut accumulator = Accumulator::scheduled(schedule);
    let updates = [0, 1, 2, 3].map(|epoch| {
        accumulator.begin_epoch(epoch).unwrap();
        let add = |_| {
            accumulator
                .add(loss(&model, 1.0, &device), 1, &model)
                .unwrap()
        };
        (0..4).filter_map(add).count()
    });
    assert_eq!(updates, [4, 2, 1, 1]);
}

/// Changes may be said in any order, and the last said of an epoch holds.
#[test]
fn schedules_are_in_the_order_of_epochs() {
    let schedule = Schedule::constant(1).unwrap();
    let schedule = schedule.from_epoch(5, 3).unwrap().from_epoch(2, 2).unwrap();
    let schedule = schedule.from_epoch(5, 9).unwrap();
    assert_eq!(
        [1, 2, 4, 5, 6].map(|epoch| schedule.at(epoch)),
        [1, 2, 2, 9, 9]
    );
}
