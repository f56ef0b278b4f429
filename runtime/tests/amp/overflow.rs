//! What an overflow tells.

use crate::support::{Dot, Pair, config, scaled, scaler};
use remat::amp::NonFinite;

#[test]
fn the_report_names_the_first_parameter_by_its_path() {
    let mut scaler = scaler();
    let layers = vec![Pair::new(), Pair::new()];
    let loss = layers[0].loss(&[1.0, 1.0], &[1.0])
        + layers[1].loss(&[f32::NAN, f32::INFINITY], &[f32::NEG_INFINITY]);
    let grads = scaler.backward(loss, &layers).unwrap();
    let overflow = scaler.unscale(grads, &layers).unwrap_err();

    let first = NonFinite {
        path: "1.first.weight".to_owned(),
        infinite: 1,
        nan: 1,
        elements: 2,
    };
    assert_eq!(overflow.parameter(), Some(&first));
    assert_eq!((overflow.affected(), overflow.scale()), (2, 1024.0));
    assert!(!overflow.at_min_scale());
    assert_eq!(
        overflow.to_string(),
        "gradients overflow at a loss scale of 1024: of `1.first.weight`, 1 of 2 elements are infinite and 1 are \
         NaN; 2 parameters in all"
    );
}

#[test]
fn s02_an_overflow_at_the_floor_says_so() {
    let mut scaler = config().with_init_scale(2.0).init().unwrap();
    let model = Dot::new(&[1.0]);
    let mut at_floor = Vec::new();
    for _ in 0..3 {
        let grads = scaled(&scaler, &model, &[f32::INFINITY]);
        let overflow = scaler.unscale(grads, &model).unwrap_err();
        scaler.update();
        let advice = "look for what is not finite";
        assert_eq!(
            overflow.to_string().contains(advice),
            overflow.at_min_scale()
        );
        at_floor.push(overflow.at_min_scale());
    }
    assert_eq!(at_floor, [false, true, true]);
    assert_eq!(scaler.scale(), 1.0, "it holds");
}

#[test]
fn what_overflows_by_dividing_is_found_too() {
    // A scale below 1 makes gradients larger.
    let mut scaler = config()
        .with_min_scale(1e-30)
        .with_init_scale(1e-30)
        .init()
        .unwrap();
    let model = Dot::new(&[1.0]);
    let loss = (model.weight.val() * 1e30).sum();
    let grads = scaler.backward(loss * 1e30, &model).unwrap();
    assert!(scaler.unscale(grads, &model).is_err());
}
