//! Steps that are taken, and steps that are not.

use crate::support::{Dot, adamw, config, scaled, scaler, values};
use burn::grad_clipping::GradientClipping;
use burn::lr_scheduler::linear::LinearLrSchedulerConfig;
use burn::optim::{ModuleOptimizer, SgdConfig};
use burn::tensor::{Tensor, Tolerance};
use remat::amp::{GradScaler, Step};

const INFINITE: [f32; 2] = [1.0, f32::INFINITY];

fn sgd() -> ModuleOptimizer {
    SgdConfig::new().init()
}

#[test]
fn s12_a_skipped_step_leaves_model_and_optimizer_as_they_were() {
    let (mut scaler, mut optimizer) = (scaler(), adamw());
    let model = Dot::new(&[1.0, 2.0]);
    let grads = scaled(&scaler, &model, &[0.1, 0.2]);
    let (model, step) = scaler.step(&mut optimizer, 0.1, model, grads);
    assert_eq!(step, Step::Taken);
    assert_ne!(model.values(), [1.0, 2.0]);

    for x in [INFINITE, [f32::NAN, 1.0], [1e38, 1.0]] {
        let before = (model.values(), optimizer.into_bytes().unwrap());
        let grads = scaled(&scaler, &model, &x);
        let (after, step) = scaler.step(&mut optimizer, 0.1, model.clone(), grads);
        assert!(matches!(step, Step::Skipped(_)), "{step:?}");
        assert_eq!(after.values(), before.0);
        assert_eq!(optimizer.into_bytes().unwrap(), before.1); // moments and the count of steps
    }
    assert_eq!(scaler.scale(), 128.0);
}

#[test]
fn s15_nothing_is_left_of_a_skipped_step() {
    let train = |with_overflow: bool| {
        let (mut scaler, mut optimizer) = (scaler(), adamw());
        let mut model = Dot::new(&[1.0, 2.0]);
        for x in [[0.3, -0.1], INFINITE, [0.2, 0.5]] {
            if x == INFINITE && !with_overflow {
                continue;
            }
            let grads = scaled(&scaler, &model, &x);
            (model, _) = scaler.step(&mut optimizer, 0.1, model, grads);
        }
        model.values()
    };
    assert_eq!(train(true), train(false));
}

#[test]
fn s06_the_schedule_advances_on_steps_that_are_taken() {
    let mut schedule = LinearLrSchedulerConfig::new(1.0, 0.1, 9).init().unwrap();
    let (mut scaler, mut optimizer) = (scaler(), sgd());
    let mut model = Dot::new(&[1.0, 2.0]);
    let mut rate = schedule.step();
    let mut rates = Vec::new();
    for x in [[0.1, 0.1], INFINITE, [0.1, 0.1]] {
        rates.push((rate.base() * 10.0).round());
        let grads = scaled(&scaler, &model, &x);
        let step;
        (model, step) = scaler.step(&mut optimizer, rate.clone(), model, grads);
        if step.is_taken() {
            rate = schedule.step();
        }
    }
    assert_eq!(rates, [10.0, 9.0, 9.0]);
}

#[test]
fn s07_whether_a_step_was_skipped_does_not_show_in_the_scale() {
    let config = config().with_growth_interval(1).with_hysteresis(2);
    let mut scaler = config.init().unwrap();
    let mut optimizer = sgd();
    let model = Dot::new(&[1.0, 2.0]);

    let grads = scaled(&scaler, &model, &[0.1, 0.1]);
    let (model, step) = scaler.step(&mut optimizer, 0.1, model, grads);
    assert_eq!((step.is_taken(), scaler.scale()), (true, 2048.0)); // grown

    let grads = scaled(&scaler, &model, &INFINITE);
    let (_, step) = scaler.step(&mut optimizer, 0.1, model, grads);
    assert_eq!((step.is_taken(), scaler.scale()), (false, 2048.0)); // kept
}

#[test]
fn s09_an_optimizer_without_gradients_does_nothing() {
    let mut scaler = config().with_growth_interval(1).init().unwrap();
    let mut optimizer = adamw();
    let (model, other) = (Dot::new(&[1.0]), Dot::new(&[5.0]));

    let grads = scaler.backward(other.loss(&[1.0]), &model).unwrap();
    assert!(grads.is_empty());
    let (model, step) = scaler.step(&mut optimizer, 0.1, model, grads);
    assert_eq!(step, Step::NoGradients);
    assert_eq!(model.values(), [1.0]);
    assert!(optimizer.to_record().is_empty());
    assert_eq!(scaler.state(), config().init().unwrap().state());
}

#[test]
fn s04_clipping_is_of_unscaled_gradients() {
    // SGD at rate 1 from 0 gives the negative of what it was handed.
    let step = |scaler: &mut GradScaler| {
        let mut optimizer = sgd().with_grad_clipping(GradientClipping::Norm(1.0));
        let model = Dot::new(&[0.0, 0.0]);
        // In f32, for the numbers of the case.
        let x = Tensor::<1>::from_floats([0.03, 0.04], &crate::support::device());
        let grads = scaler.backward((model.weight.val() * x).sum(), &model);
        scaler.step(&mut optimizer, 1.0, model, grads.unwrap())
    };
    let (model, _) = step(&mut GradScaler::default());
    assert_eq!(model.values(), [-0.03, -0.04]);

    // What comes of clipping first: (0.6, 0.8) / 65536.
    let grads = Tensor::<1>::from_floats([0.03, 0.04], &crate::support::device()) * 65536.0;
    let clipped = GradientClipping::Norm(1.0).clip_gradient(grads) / 65536.0;
    let wrong = Tensor::<1>::from_floats([9.16e-6, 1.22e-5], &crate::support::device());
    let tolerance = Tolerance::<f32>::relative(1e-2);
    clipped
        .to_data()
        .assert_approx_eq::<f32>(&wrong.to_data(), tolerance);
}

#[test]
fn s14_gradients_are_divided_once() {
    let mut scaler = scaler();
    let model = Dot::new(&[1.0]);
    let grads = scaled(&scaler, &model, &[3.0]);
    let grads = scaler.unscale(grads, &model).unwrap();
    // burn's optimizer divides nothing, and `unscale` does not take what it gave.
    let model = sgd().step(1.0, model, grads);
    assert_eq!(values(model.weight.val()), [-2.0]);
}
