//! What is refused is said, and loses nothing.

use crate::support::{Mlp, device, gradient, loss, values, weight};
use burn::optim::GradientsParams;
use burn::tensor::{FloatDType, Tensor};
use remat::train::Accumulator;
use remat::train::accumulator::{NoMicroBatches, Refused, Schedule};

#[test]
fn windows_of_nothing() {
    assert_eq!(Accumulator::new(0).unwrap_err(), NoMicroBatches);
    let schedule = Schedule::constant(1).unwrap();
    assert_eq!(schedule.from_epoch(1, 0), Err(NoMicroBatches));
    assert_eq!(
        NoMicroBatches.to_string(),
        "a window has to have at least one micro-batch"
    );
}

/// Each refused micro-batch is as if it had not been there: the window is the same as without it.
#[test]
fn a_refused_micro_batch_changes_nothing() {
    let device = device();
    let model = weight(&device);
    let other = Mlp::new(&device);
    let mut accumulator = Accumulator::new(2).unwrap();
    let _ = accumulator
        .add(loss(&model, 2.0, &device), 1, &model)
        .unwrap();

    for number in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300] {
        let refused = accumulator
            .add(loss(&model, 9.0, &device), number, &model)
            .unwrap_err();
        assert!(
            refused
                .to_string()
                .starts_with("the weight of a micro-batch is "),
            "{refused}"
        );
        assert!(matches!(refused, Refused::Weight(_)));
    }
    assert!(matches!(
        accumulator.add(loss(&model, 9.0, &device), 0, &model),
        Err(Refused::Weight(0.0))
    ));

    let rows = model.forward(Tensor::<2>::ones([3, 1], &device));
    let refused = accumulator.add(rows.clone(), 3, &model).unwrap_err();
    assert_eq!(refused, Refused::Shape(vec![3, 1]));

    let half = rows.mean().cast(FloatDType::BF16);
    let refused = accumulator.add(half, 3, &model).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("cast what it is computed from to f32"),
        "{refused}"
    );

    let refused = accumulator
        .add(loss(&model, 9.0, &device).detach(), 1, &model)
        .unwrap_err();
    assert_eq!(refused, Refused::Untracked);
    let plain = Tensor::<1>::ones([1], &device.clone().without_autodiff());
    assert_eq!(
        accumulator.add(plain, 1, &model).unwrap_err(),
        Refused::Untracked
    );

    let x = Tensor::<2>::ones([1, 6], &device);
    let refused = accumulator
        .add(other.forward(x).sum(), 1, &other)
        .unwrap_err();
    assert_eq!(refused, Refused::AnotherModel(1));

    assert_eq!(accumulator.pending(), 1);
    let window = accumulator
        .add(loss(&model, 4.0, &device), 1, &model)
        .unwrap()
        .unwrap();
    assert_eq!(gradient(&model, &window.mean(&model).unwrap()), 3.0);
}

/// A window may begin with a refused micro-batch.
#[test]
fn the_first_micro_batch_may_be_refused() {
    let device = device();
    let model = weight(&device);
    let mut accumulator = Accumulator::new(1).unwrap();
    assert!(
        accumulator
            .add(loss(&model, 2.0, &device), 0, &model)
            .is_err()
    );
    assert_eq!(accumulator.pending(), 0);
    let window = accumulator
        .add(loss(&model, 2.0, &device), 5, &model)
        .unwrap()
        .unwrap();
    assert_eq!(gradient(&model, &window.mean(&model).unwrap()), 2.0);
}

/// A loss of any rank, one that depends on no parameter of the model, and losses of several dtypes, give a window.
#[test]
fn losses_of_other_kinds() {
    let device = device();
    let model = weight(&device);
    let mut accumulator = Accumulator::new(1).unwrap();
    let matrix = model.forward(Tensor::<2>::ones([1, 1], &device));
    let window = accumulator.add(matrix, 1, &model).unwrap().unwrap();
    assert_eq!(gradient(&model, &window.mean(&model).unwrap()), 1.0);

    let elsewhere = Tensor::<1>::ones([1], &device).require_grad() * 2.0;
    let window = accumulator.add(elsewhere, 1, &model).unwrap().unwrap();
    assert!(window.mean(&model).unwrap().is_empty());

    let mut accumulator = Accumulator::new(3).unwrap();
    let mut add = |dtype| {
        let loss = loss(&model, 1.0, &device) * 0.0 + 3.0;
        accumulator.add(loss.cast(dtype), 1, &model).unwrap()
    };
    let dtypes = [FloatDType::F32, FloatDType::F64, FloatDType::F32];
    let window = dtypes.into_iter().find_map(&mut add).unwrap();
    assert_eq!(window.loss(), 3.0);
    assert_eq!(gradient(&model, &window.mean(&model).unwrap()), 0.0);
}

/// A parameter may be the loss: its gradient starts from the sum, and from the seed of the loss.
#[test]
fn a_loss_may_be_a_parameter() {
    let device = device();
    let model = weight(&device);
    let mut accumulator = Accumulator::new(3).unwrap();
    let product = |factor| loss(&model, factor, &device).reshape([1, 1]);
    let losses = [product(2.0), model.weight.val(), product(3.0)];
    let mut add = |(loss, weight)| accumulator.add(loss, weight, &model).unwrap();
    let window = losses.into_iter().zip([1, 2, 1]).find_map(&mut add);
    let gradients = window.unwrap().mean(&model).unwrap();
    assert_eq!(gradient(&model, &gradients), (2.0 + 2.0 * 1.0 + 3.0) / 4.0);
}

/// A model with one weight in two places.
fn tied(device: &burn::tensor::Device) -> Mlp {
    let mut model = Mlp::new(device);
    model.down = model.up.clone();
    model
}

/// A tied parameter is counted once, so it does not hide one that is missing; and it is in the units of one once.
#[test]
fn tied_parameters_are_one() {
    let device = device();
    let (model, other) = (tied(&device), Mlp::new(&device));
    let loss = |model: &Mlp| {
        let x = Tensor::<2>::ones([1, 6], &device);
        (model.up.forward(x.clone()) * model.down.forward(x)).mean()
    };
    let both = (model.clone(), other.up.clone());
    let x = || Tensor::<2>::ones([1, 6], &device);
    let mut accumulator = Accumulator::new(2).unwrap();
    let of_both = loss(&model) + other.up.forward(x()).mean();
    let _ = accumulator.add(of_both, 8, &both).unwrap();
    let refused = accumulator.add(loss(&model), 8, &model).unwrap_err();
    assert_eq!(refused, Refused::AnotherModel(2));
    accumulator.drop_window();

    let mut gradients = [false, true].map(|reduced| {
        let _ = accumulator.add(loss(&model), 8, &model).unwrap();
        let window = accumulator.add(loss(&model), 8, &model).unwrap().unwrap();
        let window = if reduced {
            window.reduce(&model, |sums| sums)
        } else {
            window
        };
        values(&model, &window.mean(&model).unwrap())
    });
    assert_eq!(gradients[0], gradients[1]);
    let plain = GradientsParams::from_grads(loss(&model).backward(), &model);
    assert_eq!(std::mem::take(&mut gradients[0]), values(&model, &plain));
}

/// A backward pass that panics may have left half of itself in the sum: nobody can step with that.
#[test]
fn a_panic_in_the_backward_pass_drops_the_window() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    let device = device();
    let model = weight(&device);
    let mut accumulator = Accumulator::new(2).unwrap();
    let _ = accumulator
        .add(loss(&model, 7.0, &device), 1, &model)
        .unwrap();
    // burn refuses a graph that has been used.
    let used = model.forward(Tensor::<2>::ones([1, 1], &device));
    let _ = used.clone().sum().backward();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        accumulator.add(used.sum(), 1, &model).is_ok()
    }));
    assert!(panicked.is_err());
    assert_eq!(accumulator.pending(), 0);

    let _ = accumulator
        .add(loss(&model, 2.0, &device), 1, &model)
        .unwrap();
    let window = accumulator
        .add(loss(&model, 4.0, &device), 1, &model)
        .unwrap()
        .unwrap();
    assert_eq!(gradient(&model, &window.mean(&model).unwrap()), 3.0);
}
