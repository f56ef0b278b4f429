//! Layers in place inside of what runs again, and where there is nothing to keep.

use super::models::{Mlp, MlpLayer};
use super::support::{counting, device, turn};
use burn::module::Module;
use burn::nn::{InstanceNorm, InstanceNormConfig, Relu};
use burn::tensor::{Device, Tensor, TensorData};
use remat::nn::DropoutConfig;
use remat::{Segments, checkpoint, checkpoint_sequence, inplace, recompute, without_strategies};

/// The output, and the gradients of input and weights.
fn step(model: &Mlp, forward: impl Fn(&Mlp, Tensor<2>) -> Tensor<2>) -> Vec<TensorData> {
    let device = model.devices().remove(0);
    let x = Tensor::<2>::from_floats([[1.0, -2.0, 3.0], [-4.0, 5.0, 6.0]], &device).require_grad();
    let y = forward(model, x.clone());
    let grads = y.clone().sum().backward();
    let weights = model.layers.iter();
    let weights = weights.map(|layer| layer.linear_weight().grad(&grads).unwrap().into_data());
    let x = x.grad(&grads).unwrap().into_data();
    weights.chain([x, y.into_data()]).collect()
}

/// I08: the second run is in place as the first one was, and its gradients are plain burn's.
#[test]
fn i08_inside_of_what_runs_again() {
    let _turn = turn();
    for device in [device(), device().gradient_checkpointing()] {
        device.seed(3);
        let model = Mlp::new(4, 3, &device);
        let plain = without_strategies(|| step(&model, Mlp::forward));
        let same = |forward: fn(&Mlp, Tensor<2>) -> Tensor<2>| {
            let (found, copies) = counting(|| step(&model, forward));
            assert_eq!(found, plain);
            assert_eq!(copies, 0);
        };
        same(Mlp::forward);
        same(|model, x| checkpoint(model, (x,), |model, (x,)| model.forward(x)));
        same(|model, x| checkpoint_sequence(&model.layers, Segments::sqrt(), x, MlpLayer::forward));
        same(|model, x| {
            let nested = |model: &Mlp, (x,): (Tensor<2>,)| {
                checkpoint(model, (x,), |model, (x,)| model.forward(x))
            };
            checkpoint(model, (x,), nested)
        });
        same(|model, x| {
            model.layers.iter().fold(x, |x, layer| {
                recompute(layer, (x,), |layer, (x,)| layer.forward(x))
            })
        });
    }
}

/// I08: what is computed again may be overwritten: it is a value of its own.
#[test]
fn i08_after_what_runs_again() {
    let _turn = turn();
    let device = device();
    let model = Mlp::new(1, 3, &device);
    let forward = |model: &Mlp, x: Tensor<2>| {
        let h = recompute(model, (x,), |model, (x,)| model.forward(x));
        inplace(&burn::nn::Sigmoid::new(), h)
    };
    let plain = without_strategies(|| step(&model, forward));
    assert_eq!(step(&model, forward), plain);
}

/// C23: the last operation of a segment; gradients of 0 are not missing ones.
#[test]
fn c23_at_the_end_of_a_segment() {
    let _turn = turn();
    let device = device();
    let norm = InstanceNormConfig::new(2).init(&device);
    let x = Tensor::<3>::ones([3, 2, 1], &device).require_grad();
    let y = checkpoint(&norm, (x.clone(),), |norm: &InstanceNorm, (x,)| {
        inplace(&Relu::new(), norm.forward(x))
    });
    let gradient = x.grad(&y.sum().backward()).unwrap();
    assert_eq!(gradient.dims(), [3, 2, 1]);
    assert!(gradient.into_data().iter::<f32>().all(|one| one == 0.0));
}

#[test]
fn nothing_is_counted_or_kept_without_gradients() {
    let _turn = turn();
    let forward = |device: &Device| {
        let x = Tensor::<1>::from_floats([-1.0, 1.0], device);
        let y = inplace(&Relu::new(), x.clone());
        assert!(!y.is_tracked());
        y.into_data()
    };
    let plain = TensorData::from([0.0_f32, 1.0]);
    let (inference, copies) = counting(|| forward(&Device::flex()));
    assert_eq!((inference, copies), (plain.clone(), 0));
    let (untracked, copies) = counting(|| forward(&device()));
    assert_eq!((untracked, copies), (plain, 0));
}

/// Masks are those of the layer when it is not in place.
#[test]
fn dropout_has_the_same_masks_in_place() {
    let _turn = turn();
    let device = device();
    let dropout = DropoutConfig::new(0.4).init();
    let step = |in_place: bool| {
        device.seed(5);
        let leaf = Tensor::<1>::ones([1000], &device).require_grad();
        let x = leaf.clone() * 2.0;
        let y = if in_place {
            inplace(&dropout, x)
        } else {
            dropout.forward(x)
        };
        let gradient = leaf.grad(&y.clone().sum().backward()).unwrap();
        (y.into_data(), gradient.into_data())
    };
    let (ours, copies) = counting(|| step(true));
    assert_eq!(ours, step(false));
    assert_eq!(copies, 0);
}
