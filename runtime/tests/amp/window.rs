//! Several backward passes or checks in an iteration.

use crate::support::{Dot, config, device, scaled, scaler, values};
use burn::optim::{GradientsParams, SgdConfig};
use burn::tensor::{FloatDType, Tensor};
use remat::amp::{GradScaler, ScaledGradients, Step};

/// The gradients of several micro-batches, and what became of a step with them.
fn window(scaler: &mut GradScaler, model: &Dot, batches: &[f32]) -> (Dot, Step) {
    let mut sum: Option<ScaledGradients> = None;
    for &x in batches {
        let grads = scaled(scaler, model, &[x]);
        sum = Some(match sum {
            Some(sum) => sum.add(grads, model),
            None => grads,
        });
    }
    let mut optimizer = SgdConfig::new().init();
    scaler.step(&mut optimizer, 1.0, model.clone(), sum.unwrap())
}

#[test]
fn s13_micro_batches_are_unscaled_once() {
    let mut scaler = config().with_growth_interval(1).init().unwrap();
    let (model, step) = window(&mut scaler, &Dot::new(&[0.0]), &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(step, Step::Taken);
    assert_eq!(model.values(), [-10.0]);
    assert_eq!(scaler.scale(), 2048.0, "one growth");
}

#[test]
fn s13_an_overflow_in_one_micro_batch_drops_all_with_one_backoff() {
    let mut scaler = config().init().unwrap();
    let infinite = [1.0, f32::INFINITY, 3.0, 4.0];
    let (model, step) = window(&mut scaler, &Dot::new(&[0.0]), &infinite);
    assert!(matches!(step, Step::Skipped(_)));
    assert_eq!((model.values(), scaler.scale()), (vec![0.0], 512.0));

    let (model, _) = window(&mut scaler, &model, &[1.0, 2.0]);
    assert_eq!(model.values(), [-3.0]); // nothing of the window before
}

#[test]
fn sums_are_in_f32() {
    let model = Dot::new(&[0.0]);
    let half = |scale: f32| {
        let mut grads = GradientsParams::new();
        let value = Tensor::<1>::from_floats([60000.0], &device()).inner();
        grads.register(model.weight.id, value.cast(FloatDType::F16));
        ScaledGradients::from_grads(grads, scale)
    };
    let mut scaler = scaler();
    let sum = half(1.0).add(half(1.0), &model); // above the largest f16
    let grads = scaler.unscale(sum, &model).unwrap();
    assert_eq!(
        values(grads.get::<1>(model.weight.id).unwrap()),
        [120_000.0]
    );

    // At another scale, or over another weight, they count as what they are.
    for other in [half(2.0), half(4.0).over(0.5), half(1.0).over(2.0)] {
        let sum = half(4.0).add(other, &model);
        assert_eq!(sum.scale(), 4.0);
        let grads = scaler.unscale(sum, &model).unwrap();
        assert_eq!(values(grads.get::<1>(model.weight.id).unwrap()), [45000.0]);
    }
}

#[test]
fn s05_a_step_that_is_skipped_by_hand_leaves_the_next_window_as_it_should() {
    let mut scaler = config().init().unwrap();
    let model = Dot::new(&[1.0]);
    let grads = scaled(&scaler, &model, &[1.0]);
    drop(scaler.unscale(grads, &model)); // no step, for a reason of the caller's
    scaler.update();
    assert_eq!(scaler.state().good_steps, 1);

    let grads = scaled(&scaler, &model, &[f32::INFINITY]);
    assert!(scaler.unscale(grads, &model).is_err());
    scaler.update();
    assert_eq!((scaler.scale(), scaler.state().good_steps), (512.0, 0));

    let grads = scaled(&scaler, &model, &[3.0]);
    let grads = scaler.unscale(grads, &model).unwrap();
    assert_eq!(values(grads.get::<1>(model.weight.id).unwrap()), [3.0]);
}

#[test]
fn update_counts_an_iteration_once() {
    let mut scaler = config().init().unwrap();
    let model = Dot::new(&[1.0]);
    scaler.update(); // nothing was looked at
    assert_eq!(scaler.state().good_steps, 0);

    let grads = scaled(&scaler, &model, &[f32::INFINITY]);
    assert!(scaler.unscale(grads, &model).is_err());
    assert!(scaler.found_overflow());
    scaler.update();
    scaler.update();
    assert_eq!(scaler.scale(), 512.0);
    assert!(!scaler.found_overflow());
}

#[test]
fn s10_all_ranks_skip_and_back_off_together() {
    let mut ranks = [config().init().unwrap(), config().init().unwrap()];
    let model = Dot::new(&[1.0]);
    for (rank, x) in ranks.iter_mut().zip([f32::INFINITY, 1.0]) {
        let grads = scaled(rank, &model, &[x]);
        drop(rank.unscale(grads, &model));
    }
    let found: Vec<bool> = ranks.iter().map(GradScaler::found_overflow).collect();
    assert_eq!(found, [true, false]);

    let any = found.contains(&true); // the all-reduce: nobody takes a step
    for rank in &mut ranks {
        rank.update_with(any);
    }
    assert_eq!(ranks[0].state(), ranks[1].state());
    assert_eq!(ranks[1].scale(), 512.0);

    // What a rank found itself is not forgotten.
    let grads = scaled(&ranks[0], &model, &[f32::INFINITY]);
    assert!(ranks[0].unscale(grads, &model).is_err());
    ranks[0].update_with(false);
    assert_eq!(ranks[0].scale(), 256.0);
}
