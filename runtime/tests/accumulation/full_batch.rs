//! The gradient of a window is that of its samples in one batch.

use crate::support::{Mlp, device, error, numbers, values};
use burn::nn::loss::CrossEntropyLossConfig;
use burn::optim::GradientsParams;
use burn::tensor::{Device, Int, Tensor, TensorData};
use proptest::prelude::*;
use remat::train::Accumulator;
use remat::train::accumulator::Reduction;

const PADDING: usize = 4;

/// Sequences of tokens, the last of each padding.
struct Batch {
    inputs: Tensor<3>,
    targets: Tensor<2, Int>,
    tokens: usize,
}

const SEQ: usize = 7;

fn batch(lengths: &[usize], first: usize, device: &Device) -> Batch {
    let targets = lengths.iter().enumerate().flat_map(|(row, length)| {
        (0..SEQ).map(move |i| {
            let token = if i < *length {
                (first + row + i) % PADDING
            } else {
                PADDING
            };
            i32::try_from(token).unwrap()
        })
    });
    let targets: Vec<_> = targets.collect();
    let all = numbers([64, SEQ, 6], 1, device);
    Batch {
        inputs: all.narrow(0, first, lengths.len()),
        targets: Tensor::from_data(TensorData::new(targets, [lengths.len(), SEQ]), device),
        tokens: lengths.iter().sum(),
    }
}

/// The mean over the tokens that are not padding.
fn loss(model: &Mlp, batch: &Batch) -> Tensor<1> {
    let scores = model.forward(batch.inputs.clone()).flatten::<2>(0, 1);
    let loss = CrossEntropyLossConfig::new().with_pad_tokens(Some(vec![PADDING]));
    let targets = batch.targets.clone().flatten::<1>(0, 1);
    loss.init(&scores.device()).forward(scores, targets)
}

fn in_pieces(model: &Mlp, lengths: &[&[usize]], device: &Device) -> GradientsParams {
    let mut accumulator = Accumulator::new(lengths.len()).unwrap();
    let mut first = 0;
    for lengths in lengths {
        let batch = batch(lengths, first, device);
        first += lengths.len();
        let window = accumulator.add(loss(model, &batch), batch.tokens, model);
        if let Some(window) = window.unwrap() {
            return window.mean(model).unwrap();
        }
    }
    unreachable!("the window is as long as the list")
}

fn at_once(model: &Mlp, lengths: &[&[usize]], device: &Device) -> GradientsParams {
    let batch = batch(&lengths.concat(), 0, device);
    GradientsParams::from_grads(loss(model, &batch).backward(), model)
}

#[test]
fn four_unequal_micro_batches_with_padding() {
    let device = device();
    let model = Mlp::new(&device);
    let lengths: [&[usize]; 4] = [&[7, 3], &[1], &[2, 7, 5, 6], &[4, 4, 1]];
    let pieces = values(&model, &in_pieces(&model, &lengths, &device));
    let whole = values(&model, &at_once(&model, &lengths, &device));
    let error = error(&pieces, &whole);
    assert!(error < 1e-5, "{error}");
    assert!(
        whole
            .iter()
            .all(|gradient| gradient.iter().any(|x| *x != 0.0))
    );
}

#[test]
fn the_loss_of_a_window_is_that_of_the_batch() {
    let device = device();
    let model = Mlp::new(&device);
    let (first, second) = (batch(&[7, 3], 0, &device), batch(&[1], 2, &device));
    let mut accumulator = Accumulator::new(2).unwrap();
    let open = accumulator.add(loss(&model, &first), first.tokens, &model);
    assert!(open.unwrap().is_none());
    let window = accumulator.add(loss(&model, &second), second.tokens, &model);
    let window = window.unwrap().unwrap();

    let whole = loss(&model, &batch(&[7, 3, 1], 0, &device)).into_scalar::<f32>();
    assert!((window.loss() - f64::from(whole)).abs() < 1e-6);
    assert_eq!(
        (window.weight(), window.micro_batches(), window.left_out()),
        (11.0, 2, 0)
    );
}

/// The weights of one window, and another unit of the weight, make no difference.
#[test]
fn weights_count_relative_to_each_other() {
    let device = device();
    let model = Mlp::new(&device);
    let run = |unit: f64| {
        let mut accumulator = Accumulator::new(2).unwrap();
        for (lengths, first) in [(&[7, 3][..], 0), (&[1], 2)] {
            let batch = batch(lengths, first, &device);
            let weight = batch.tokens as f64 * unit;
            if let Some(window) = accumulator
                .add(loss(&model, &batch), weight, &model)
                .unwrap()
            {
                return values(&model, &window.mean(&model).unwrap());
            }
        }
        unreachable!()
    };
    assert_eq!(run(1.0), run(1024.0));
    assert_eq!(run(1.0), run(2.0_f64.powi(-60)));
    assert!(error(&run(1.0), &run(3.0)) < 1e-6);
}

/// A parameter that only some micro-batches use, and one that is frozen half way.
#[test]
fn parameters_that_come_and_go() {
    let device = device();
    let model = Mlp::new(&device);
    let x = numbers([3, 6], 2, &device);
    let of_down = |model: &Mlp| model.down.forward(numbers([3, 16], 3, &device)).mean();
    let of_all = |model: &Mlp| model.forward(x.clone()).mean();
    let alone = |loss: Tensor<1>| {
        values(
            &model,
            &GradientsParams::from_grads(loss.backward(), &model),
        )
    };
    let (down, all) = (alone(of_down(&model)), alone(of_all(&model)));

    let mut accumulator = Accumulator::new(3).unwrap();
    let _ = accumulator.add(of_down(&model), 1, &model).unwrap();
    let _ = accumulator.add(of_all(&model), 1, &model).unwrap();
    let frozen = Mlp {
        up: burn::module::Module::no_grad(model.up.clone()),
        down: model.down.clone(),
    };
    let window = accumulator
        .add(of_down(&frozen), 1, &frozen)
        .unwrap()
        .unwrap();
    let found = values(&model, &window.mean(&model).unwrap());

    // up's weight and bias, then down's
    let mean = |parameter: usize, of_down: f32| -> Vec<f32> {
        let add = |(all, down): (&f32, f32)| (all + of_down * down) / 3.0;
        let down = down[parameter]
            .iter()
            .copied()
            .chain(std::iter::repeat(0.0));
        all[parameter].iter().zip(down).map(add).collect()
    };
    let expected = [mean(0, 0.0), mean(1, 0.0), mean(2, 2.0), mean(3, 2.0)];
    assert!(error(&found, &expected) < 1e-6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_cut_gives_the_gradient_of_the_batch(
        lengths in proptest::collection::vec(proptest::collection::vec(1..=SEQ, 1..5), 1..7)
    ) {
        let device = device();
        let model = Mlp::new(&device);
        let lengths: Vec<&[usize]> = lengths.iter().map(Vec::as_slice).collect();
        let pieces = values(&model, &in_pieces(&model, &lengths, &device));
        let whole = values(&model, &at_once(&model, &lengths, &device));
        prop_assert!(error(&pieces, &whole) < 1e-5);
    }
}

/// The three ways to say the same thing.
#[test]
fn reductions_agree() {
    let device = device();
    let model = Mlp::new(&device);
    let run = |reduction, of: &dyn Fn(Tensor<2>) -> Tensor<1>| {
        let mut accumulator = Accumulator::new(2).unwrap().reduction(reduction);
        let y = |rows, seed| model.forward(numbers([rows, 6], seed, &device));
        let _ = accumulator.add(of(y(3, 1)), 3, &model).unwrap();
        let window = accumulator.add(of(y(5, 2)), 5, &model).unwrap().unwrap();
        let loss = window.loss();
        (values(&model, &window.mean(&model).unwrap()), loss)
    };
    let (mean, loss) = run(Reduction::Mean, &|y| y.mean());
    let (sum, sum_loss) = run(Reduction::Sum, &|y| y.mean_dim(1).sum());
    let (total, total_loss) = run(Reduction::Total, &|y| y.mean_dim(1).sum() / 8.0);
    assert!(error(&sum, &mean) < 1e-6);
    assert!(error(&total, &mean) < 1e-6);
    assert!((sum_loss - loss).abs() < 1e-6 && (total_loss - loss).abs() < 1e-6);
}
