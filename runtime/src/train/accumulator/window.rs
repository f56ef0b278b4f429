//! A window of micro-batches: while it is open, and at its end.

use super::losses::{Losses, Read};
use super::{Dropped, Reduction, backward};
use crate::amp::ScaledGradients;
use crate::train::each::{Visit, each_gradient};
use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use std::mem;

/// A window that takes micro-batches.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) sum: GradientsParams,
    pub(super) micro_batches: usize,
    pub(super) left_out: usize,
    pub(super) losses: Losses,
    weight: f64,
    reduction: Reduction,
    scale: f32,
    /// What a weight of one is while it is multiplied. A power of two near the first weight, which changes no bit: so
    /// that gradients in f16 are as large as their loss scale says, whatever is counted.
    unit: f32,
}

impl Open {
    pub(super) fn new(scale: f32, first_weight: f32, reduction: Reduction) -> Self {
        let unit = match reduction {
            // The weight without its fraction.
            Reduction::Mean | Reduction::Sum => f32::from_bits(first_weight.to_bits() & EXPONENT),
            Reduction::Total => 1.0,
        };
        Self {
            sum: GradientsParams::new(),
            micro_batches: 0,
            left_out: 0,
            losses: Losses::new(reduction),
            weight: 0.0,
            reduction,
            scale,
            unit,
        }
    }

    pub(super) fn add<const D: usize, M: Module>(
        &mut self,
        loss: Tensor<D>,
        weight: f32,
        model: &M,
    ) {
        let seed = match self.reduction {
            Reduction::Mean => weight,
            Reduction::Sum | Reduction::Total => 1.0,
        };
        self.weight += f64::from(weight);
        self.losses.push(&loss, weight);
        backward::add(&mut self.sum, loss, seed / self.unit * self.scale, model);
    }

    /// What the sum is divided by for its mean, but for the scale.
    fn divisor(&self) -> f64 {
        match self.reduction {
            Reduction::Mean | Reduction::Sum => self.weight / f64::from(self.unit),
            Reduction::Total => 1.0,
        }
    }

    pub(super) fn take_scaled(&mut self) -> ScaledGradients {
        let sum = mem::take(&mut self.sum);
        ScaledGradients::from_grads(sum, self.scale).over(self.divisor())
    }

    /// Whether there is a loss, and all are finite.
    pub(super) fn check_losses(&self, losses: &Read) -> Result<(), Dropped> {
        let count = if self.left_out == self.micro_batches {
            self.left_out
        } else {
            losses.non_finite
        };
        match count {
            0 => Ok(()),
            count => Err(Dropped::Loss {
                count,
                micro_batches: self.micro_batches,
            }),
        }
    }
}

/// The bits of an f32 that are its power of two.
const EXPONENT: u32 = 0x7f80_0000;

/// The micro-batches of one update: [`mean`](Self::mean) is their gradient.
///
/// With a [`GradScaler`](crate::amp::GradScaler), take [`into_scaled`](Self::into_scaled).
#[derive(Debug)]
#[must_use = "a window trains nothing until an optimizer takes its gradient"]
pub struct Window(pub(super) Open);

/// What a window adds up, before the division.
#[derive(Debug)]
pub struct Sums {
    /// `sum(weight * gradient)`, times the loss scale.
    pub gradients: GradientsParams,
    /// `sum(weight)`; 1 for [`Reduction::Total`], where it has to stay 1.
    pub weight: f64,
}

impl Window {
    pub(super) fn new(open: Open) -> Self {
        Self(open)
    }

    /// The micro-batches, also those that were left out.
    #[must_use]
    pub fn micro_batches(&self) -> usize {
        self.0.micro_batches
    }

    /// The micro-batches that were [left out](super::NonFinite::LeaveOut).
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.0.left_out
    }

    /// The sum of the weights, without those that were left out.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.0.weight
    }

    /// The loss of the window: the mean, as its gradient is, of the micro-batches' losses. NaN if all were left out. Of
    /// several ranks, it is that of the own micro-batches, also after [`reduce`](Self::reduce).
    ///
    /// Reads from the device.
    #[must_use]
    pub fn loss(&self) -> f64 {
        self.0.losses.read().mean
    }

    /// The gradient of the window: `sum(weight * gradient) / sum(weight)`, in f32 at least, of the parameters of `model`.
    ///
    /// Waits for the device once, to know whether all is finite.
    ///
    /// # Errors
    ///
    /// If a loss or a gradient is not finite, or every micro-batch was left out: skip the step.
    pub fn mean<M: Module>(self, model: &M) -> Result<GradientsParams, Dropped> {
        self.end(model, false).gradients
    }

    /// Whether there is a loss, and all are finite. [`mean`](Self::mean) asks this too.
    ///
    /// # Errors
    ///
    /// If not: skip the step.
    pub fn check_losses(&self) -> Result<(), Dropped> {
        self.0.check_losses(&self.0.losses.read())
    }

    /// The sum, for [`GradScaler::unscale`](crate::amp::GradScaler::unscale) to divide by scale and weights at once.
    ///
    /// ```
    /// use burn::nn::LinearConfig;
    /// use burn::tensor::{Device, Tensor};
    /// use remat::amp::GradScaler;
    /// use remat::train::Accumulator;
    ///
    /// let device = Device::flex().autodiff();
    /// let model = LinearConfig::new(1, 1).with_bias(false).init(&device);
    /// let mut scaler = GradScaler::default();
    /// let mut accumulator = Accumulator::new(2)?;
    ///
    /// accumulator.set_scale(scaler.scale()); // of the next window
    /// for samples in [3, 1] {
    ///     let loss = model.forward(Tensor::<2>::full([samples, 1], samples as f32, &device)).mean();
    ///     if let Some(window) = accumulator.add(loss, samples, &model)? {
    ///         let gradients = scaler.unscale(window.into_scaled(), &model)?;
    ///         scaler.update();
    ///         let weight = gradients.get::<2>(model.weight.id).unwrap();
    ///         assert_eq!(weight.into_scalar::<f32>(), 2.5); // (3 + 3 + 3 + 1) / 4
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_scaled(mut self) -> ScaledGradients {
        self.0.take_scaled()
    }

    /// Lets `reduce` replace the sums by those of several ranks: once a window, after the last micro-batch, with all of
    /// them in it. Whether it adds both sums up or averages both, what is divided is the gradient of all ranks' samples.
    ///
    /// All ranks need the same loss scale, and have to agree on what is finite: see
    /// [`GradScaler::update_with`](crate::amp::GradScaler::update_with).
    ///
    /// ```
    /// # use burn::{nn::LinearConfig, optim::GradientsParams, tensor::{Device, Tensor}};
    /// # use remat::train::Accumulator;
    /// # let device = Device::flex().autodiff();
    /// # let model = LinearConfig::new(1, 1).with_bias(false).init(&device);
    /// # let mut accumulator = Accumulator::new(1)?;
    /// # let loss = model.forward(Tensor::<2>::ones([3, 1], &device)).mean();
    /// # let window = accumulator.add(loss, 3, &model)?.unwrap();
    /// let window = window.reduce(&model, |mut sums| {
    ///     // .. all-reduce each of `sums.gradients`, and
    ///     sums.weight += 0.0; // what the others have
    ///     sums
    /// });
    /// let gradients = window.mean(&model)?;
    /// # assert_eq!(gradients.get::<2>(model.weight.id).unwrap().into_scalar::<f32>(), 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reduce<M: Module>(self, model: &M, reduce: impl FnOnce(Sums) -> Sums) -> Self {
        let mut open = self.0;
        each_gradient(&mut open.sum, model, &mut Times(open.unit));
        open.unit = 1.0;
        let Sums { gradients, weight } = reduce(Sums {
            weight: open.divisor(),
            gradients: open.sum,
        });
        open.sum = gradients;
        if open.reduction != Reduction::Total {
            open.weight = weight;
        }
        Self(open)
    }
}

/// Other ranks may have another unit.
struct Times(f32);

impl Visit for Times {
    fn gradient<const D: usize>(&mut self, gradient: Tensor<D>) -> Tensor<D> {
        gradient * self.0
    }
}
