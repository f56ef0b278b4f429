//! What compression does to gradients.

use super::super::compression::{Selection, run_with, seen_by};
use super::comparison::{Comparison, FieldError, ParameterError};
use super::gradients::{Gradient, gradients};
use crate::random::Stream;
use burn::module::Module;
use burn::tensor::Tensor;

/// Runs the model on a batch with and without compression, and compares the gradients: of every parameter, and by the
/// annotated field that causes the difference.
///
/// `loss` is a training step without the optimizer: from the model and a batch to the scalar loss. It runs twice, and once
/// more for each annotated field that compresses anything, with the same random numbers and masks each time. Other
/// strategies stay on. Statistics of batch normalisation move with every run: compare a model that you drop, or a clone made
/// by `model.valid().train()`, which has its own.
///
/// ```
/// use burn::module::Module;
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::{Device, Distribution, Tensor};
/// use remat::Remat;
///
/// #[derive(Module, Debug, Remat)]
/// struct Net {
///     first: Linear,
///     #[quantize(bits = 2)]
///     second: Linear,
/// }
///
/// #[remat::forward]
/// impl Net {
///     fn forward(&self, x: Tensor<2>) -> Tensor<2> {
///         self.second.forward(self.first.forward(x).tanh())
///     }
/// }
///
/// let device = Device::flex().autodiff();
/// let linear = || LinearConfig::new(64, 64).init(&device);
/// let net = Net { first: linear(), second: linear() };
/// let x = Tensor::<2>::random([32, 64], Distribution::Default, &device);
///
/// let comparison = remat::quantize::compare(&net, x, |net, x| net.forward(x).powi_scalar(2).mean());
/// println!("{comparison}");
/// let second = &comparison.fields[0];
/// assert_eq!(second.name, "Net.second");
/// assert!(comparison.parameters.iter().any(|parameter| parameter.relative_error > 0.0));
/// ```
///
/// # Panics
///
/// If the loss does not depend on a parameter of the model on a device with autodiff; if it is called inside a segment that
/// is `deterministic`.
pub fn compare<M: Module, B: Clone>(
    model: &M,
    batch: B,
    loss: impl Fn(&M, B) -> Tensor<1>,
) -> Comparison {
    let devices = model.devices();
    let device = devices.iter().find(|device| device.is_autodiff());
    let device = device.expect("remat: a model on a device with autodiff is compared");
    let Ok(mut stream) = Stream::fork(device) else {
        panic!("remat: gradients are compared inside a segment that is `deterministic`")
    };
    let step = || gradients(model, &loss(model, batch.clone()).backward());
    let (exact, seen) = seen_by(|| stream.play(|| run_with(Selection::None, step)));
    let again = |selection| stream.play_again(|| run_with(selection, step));

    let all = again(Selection::All);
    let alone = seen.into_iter().map(|name| {
        let gradients = again(Selection::Only(name));
        (name.unwrap_or("(without a name)"), gradients)
    });
    let alone: Vec<(&'static str, Vec<Gradient>)> = alone.collect();
    comparison(&exact, &all, &alone)
}

fn comparison(
    exact: &[Gradient],
    all: &[Gradient],
    alone: &[(&'static str, Vec<Gradient>)],
) -> Comparison {
    let norm = norm(exact.iter().map(Gradient::norm));
    // A gradient that ought to be zero (of a key's bias) has no direction.
    let floor = 1e-4 * norm;
    let relative = |exact: &Gradient, other: &Gradient| {
        let distance = exact.distance(other);
        if distance == 0.0 {
            return 0.0;
        }
        distance / exact.norm().max(floor)
    };
    let parameter = |(index, exact): (usize, &Gradient)| {
        let by_field = alone.iter();
        let by_field = by_field.map(|(name, grads)| (*name, relative(exact, &grads[index])));
        let worst = by_field.max_by(|(_, a), (_, b)| a.total_cmp(b));
        ParameterError {
            path: exact.path.clone(),
            cosine: exact.cosine(&all[index]),
            relative_error: relative(exact, &all[index]),
            worst_field: worst
                .filter(|(_, error)| *error > 0.0)
                .map(|(name, _)| name),
        }
    };
    let field = |(name, grads): &(&'static str, Vec<Gradient>)| {
        let pairs = exact.iter().zip(grads);
        let distance = self::norm(pairs.map(|(exact, other)| exact.distance(other)));
        FieldError {
            name,
            relative_error: if distance == 0.0 {
                0.0
            } else {
                distance / norm
            },
        }
    };
    Comparison {
        parameters: exact.iter().enumerate().map(parameter).collect(),
        fields: alone.iter().map(field).collect(),
    }
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}
