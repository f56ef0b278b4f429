//! Saving and going on.

use crate::support::{Dot, adamw, config, scaled};
use burn::config::Config;
use burn::lr_scheduler::LrSchedulerRecord;
use burn::optim::ModuleOptimizer;
use remat::amp::{GradScaler, GradScalerConfig, GradScalerState};

fn options() -> GradScalerConfig {
    config().with_growth_interval(4).with_hysteresis(2)
}

/// Gradients of which the fourth and every seventh overflow.
fn train(
    steps: std::ops::Range<usize>,
    (mut model, mut optimizer, mut scaler): (Dot, ModuleOptimizer, GradScaler),
) -> (Dot, ModuleOptimizer, GradScaler) {
    for step in steps {
        let x = match step % 7 {
            3 | 4 => f32::INFINITY,
            rest => 0.1 * rest as f32 - 0.2,
        };
        let grads = scaled(&scaler, &model, &[x, 1.0]);
        (model, _) = scaler.step(&mut optimizer, 0.01, model, grads);
    }
    (model, optimizer, scaler)
}

fn new() -> (Dot, ModuleOptimizer, GradScaler) {
    (Dot::new(&[1.0, 2.0]), adamw(), options().init().unwrap())
}

/// Trains on with a scaler that `reload` makes of the one before, in every position.
fn assert_resumes(reload: impl Fn(&GradScaler) -> GradScaler) {
    let (whole, _, whole_scaler) = train(0..20, new());
    for stop in 0..20 {
        let (model, optimizer, scaler) = train(0..stop, new());
        let optimizer = adamw().from_bytes(optimizer.into_bytes().unwrap()).unwrap();
        let (model, _, scaler) = train(stop..20, (model, optimizer, reload(&scaler)));
        assert_eq!(model.values(), whole.values());
        assert_eq!(scaler.state(), whole_scaler.state());
    }
    assert!(whole_scaler.overflows() > 3);
    assert_ne!(whole_scaler.scale(), 1024.0);
}

#[test]
fn a_record_resumes_as_if_nothing_had_happened() {
    assert_resumes(|scaler| {
        let bytes = scaler.to_record().into_bytes().unwrap();
        let record = LrSchedulerRecord::from_bytes(bytes).unwrap();
        let new = options().init().unwrap();
        new.load_record(&record).unwrap()
    });
}

#[test]
fn serde_resumes_as_if_nothing_had_happened() {
    assert_resumes(|scaler| {
        let json = serde_json::to_string(&scaler.state()).unwrap();
        let state: GradScalerState = serde_json::from_str(&json).unwrap();
        options().init().unwrap().load_state(state).unwrap()
    });
}

#[test]
fn options_are_a_config_of_burns() {
    let json = options().to_string();
    let read = GradScalerConfig::load_binary(json.as_bytes()).unwrap();
    assert_eq!(read, options());
}

#[test]
fn a_record_of_something_else_is_an_error() {
    let record = LrSchedulerRecord::new().with_scalar("scale", 2.0);
    let error = GradScaler::default().load_record(&record).unwrap_err();
    assert!(error.to_string().contains("`good_steps` is missing"));
}

#[test]
fn a_state_is_taken_as_far_as_the_options_allow() {
    let state = GradScalerState {
        scale: 1.0,
        good_steps: 5,
        hysteresis_left: 9,
        overflows: 7,
    };
    let config = config().with_min_scale(8.0).with_hysteresis(2);
    let scaler = config.init().unwrap().load_state(state).unwrap();
    assert_eq!((scaler.scale(), scaler.state().hysteresis_left), (8.0, 2));

    let state = GradScalerState {
        good_steps: usize::MAX,
        overflows: usize::MAX,
        ..state
    };
    let mut scaler = config.init().unwrap().load_state(state).unwrap();
    scaler.update_with(false);
    assert_eq!((scaler.scale(), scaler.state().good_steps), (16.0, 0));
    scaler.update_with(true);
    assert_eq!(scaler.overflows(), usize::MAX);

    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let state = GradScalerState { scale, ..state };
        assert!(GradScaler::default().load_state(state).is_err());
    }
}
