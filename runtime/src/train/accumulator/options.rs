//! What an accumulator may be told.

/// What a micro-batch's loss is.
///
/// The gradient of a window is normalised once; here is by what, and whether the loss has been divided already.
///
/// ```
/// use burn::nn::LinearConfig;
/// use burn::tensor::{Device, Tensor};
/// use remat::train::Accumulator;
/// use remat::train::accumulator::Reduction;
///
/// let device = Device::flex().autodiff();
/// let model = LinearConfig::new(1, 1).with_bias(false).init(&device);
/// let run = |reduction, loss: fn(Tensor<2>) -> Tensor<1>, weights: [f64; 2]| {
///     let mut accumulator = Accumulator::new(2).unwrap().reduction(reduction);
///     let mut windows = [3, 1].into_iter().zip(weights).filter_map(|(samples, weight)| {
///         let y = model.forward(Tensor::<2>::full([samples, 1], samples as f32, &device));
///         accumulator.add(loss(y), weight, &model).unwrap()
///     });
///     let gradients = windows.next().unwrap().mean(&model).unwrap();
///     gradients.get::<2>(model.weight.id).unwrap().into_scalar::<f32>()
/// };
///
/// // (3 + 3 + 3 + 1) / 4 in all cases
/// assert_eq!(run(Reduction::Mean, Tensor::mean, [3.0, 1.0]), 2.5);
/// assert_eq!(run(Reduction::Sum, Tensor::sum, [3.0, 1.0]), 2.5);
/// assert_eq!(run(Reduction::Total, |y| y.sum() / 4.0, [3.0, 1.0]), 2.5);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// The mean over what its weight counts: it is multiplied by the weight, and the sum divided by the weights' sum.
    #[default]
    Mean,
    /// The sum over what its weight counts: the sum of the losses is divided by the weights' sum.
    Sum,
    /// A sum that has been divided by what the whole window holds: nothing is multiplied nor divided. burn's
    /// `GradientsAccumulator` is like this, with losses divided or not.
    Total,
}

/// What becomes of a micro-batch that is not finite. It is never averaged in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NonFinite {
    /// Its window is dropped: [`Window::mean`](super::Window::mean) tells. Nothing waits for the device before that.
    #[default]
    DropWindow,
    /// If its loss is not finite, it is left out, and the window is normalised by the others. The loss is read before the
    /// backward pass, which waits for the device.
    ///
    /// A finite loss with a gradient that is not (an overflow in f16, say) has been added by the time it is seen: the
    /// window is dropped.
    LeaveOut,
}
