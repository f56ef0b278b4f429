//! Several optimizers in an iteration, as of a GAN.

use crate::support::{Dot, Pair, config, scaler, values};

#[test]
fn parts_of_a_model_are_checked_each_and_counted_once() {
    let mut scaler = config().with_growth_interval(1).init().unwrap();
    let pair = Pair::new();
    let loss = pair.loss(&[1.0, f32::INFINITY], &[5.0]);
    let mut second = scaler.backward(loss, &pair).unwrap();
    let first = second.split_off(&pair.first);
    assert_eq!((first.len(), second.len()), (1, 1));

    // One optimizer leaves its step out, the other does not.
    let overflow = scaler.unscale(first, &pair.first).unwrap_err();
    assert_eq!(overflow.parameter().unwrap().path, "weight");
    let grads = scaler.unscale(second, &pair.second).unwrap();
    assert_eq!(
        values(grads.get::<1>(pair.second.weight.id).unwrap()),
        [5.0]
    );
    scaler.update();
    assert_eq!(scaler.scale(), 512.0);
}

#[test]
fn two_models_of_one_loss_are_a_tuple() {
    let mut scaler = scaler();
    let (generator, discriminator) = (Dot::new(&[1.0]), Dot::new(&[2.0]));
    let loss = generator.loss(&[3.0]) + discriminator.loss(&[4.0]);
    let both = (generator.clone(), discriminator.clone());
    let mut grads = scaler.backward(loss, &both).unwrap();
    let of_generator = grads.split_off(&generator);
    for (grads, model, gradient) in [(of_generator, generator, 3.0), (grads, discriminator, 4.0)] {
        let grads = scaler.unscale(grads, &model).unwrap();
        assert_eq!(values(grads.get::<1>(model.weight.id).unwrap()), [gradient]);
    }
}

#[test]
fn gradients_of_other_parameters_never_come_out_scaled() {
    let mut scaler = scaler();
    let pair = Pair::new();
    let loss = pair.loss(&[1.0, 1.0], &[1.0]);
    let grads = scaler.backward(loss, &pair).unwrap();
    let grads = scaler.unscale(grads, &pair.first).unwrap();
    assert_eq!(grads.len(), 1);
    assert!(grads.get::<1>(pair.second.weight.id).is_none());
}
