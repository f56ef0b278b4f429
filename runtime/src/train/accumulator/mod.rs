//! Accumulating gradients: the batch that does not fit, in pieces.
//!
//! [`Accumulator`] runs the backward passes of a window of micro-batches, [`Window`] gives their gradient.

mod backward;
mod end;
mod errors;
mod losses;
mod options;
mod schedule;
mod weight;
mod window;

pub use errors::{Dropped, Refused, WindowIsOpen};
pub use options::{NonFinite, Reduction};
pub use schedule::{NoMicroBatches, Schedule};
pub use weight::Weight;
pub use window::{Sums, Window};

use burn::module::Module;
use burn::tensor::Tensor;
use window::Open;

/// Accumulates the gradients of a window of micro-batches, as if they had been one batch.
///
/// The gradient of a window is `sum(weight * gradient) / sum(weight)`, divided once. A micro-batch weighs what its loss
/// is a mean over: samples, or the tokens that are not padding. So unequal micro-batches give the gradient of the full
/// batch.
///
/// ```
/// use burn::nn::LinearConfig;
/// use burn::optim::SgdConfig;
/// use burn::tensor::{Device, Tensor};
/// use remat::train::Accumulator;
///
/// let device = Device::flex().autodiff();
/// let mut model = LinearConfig::new(2, 1).init(&device);
/// let mut optimizer = SgdConfig::new().init();
///
/// let mut accumulator = Accumulator::new(2)?; // an update for every two micro-batches
/// for samples in [4, 4, 4, 1, 3] {
///     let loss = model.forward(Tensor::<2>::ones([samples, 2], &device)).mean();
///     if let Some(window) = accumulator.add(loss, samples, &model)? {
///         let gradients = window.mean(&model)?;
///         model = optimizer.step(0.1, model, gradients);
///     }
/// }
/// // The last micro-batch has no partner: a step for it alone, or `drop_window`.
/// if let Some(window) = accumulator.finish() {
///     assert_eq!(window.weight(), 3.0);
///     let gradients = window.mean(&model)?;
///     model = optimizer.step(0.1, model, gradients);
/// }
/// # let _ = model;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What belongs at the end of a window, such as clipping or a step of the optimizer, needs a [`Window`], and there is
/// one at the end only.
///
/// # Memory
///
/// The sum so far enters the backward pass, which adds each new gradient into it and frees it: at most one set of
/// gradients is live, and the largest single one. (burn's `GradientsAccumulator` adds two whole sets after each pass.)
/// [`add`](Self::add) takes the loss, so that a micro-batch's graph is gone before the next one begins.
///
/// Sums are in f32 at least: of parameters in 16 bits, whose sums would lose small terms, the gradients of a micro-batch
/// are a second, smaller set until they are added.
///
/// # What does not accumulate
///
/// Batch normalisation sees a micro-batch, not the batch: see [`BatchNorms`](crate::train::BatchNorms).
///
/// # Or burn's
///
/// burn's learner accumulates by itself (`SupervisedTraining::grads_accumulation`), with its own
/// [`GradientsAccumulator`](burn::optim::GradientsAccumulator): take that where micro-batches are equal, and gradients are
/// little beside activations.
///
/// # Several devices
///
/// Let every rank accumulate, and reduce once a window: [`Window::reduce`].
#[derive(Debug)]
pub struct Accumulator {
    schedule: Schedule,
    size: usize,
    reduction: Reduction,
    non_finite: NonFinite,
    scale: f32,
    open: Option<Open>,
}

impl Accumulator {
    /// An accumulator with windows of so many micro-batches.
    ///
    /// # Errors
    ///
    /// If that is 0.
    pub fn new(micro_batches: usize) -> Result<Self, NoMicroBatches> {
        Ok(Self::scheduled(Schedule::constant(micro_batches)?))
    }

    /// An accumulator whose windows change with the epoch: call [`begin_epoch`](Self::begin_epoch).
    #[must_use]
    pub fn scheduled(schedule: Schedule) -> Self {
        Self {
            size: schedule.at(0),
            schedule,
            reduction: Reduction::default(),
            non_finite: NonFinite::default(),
            scale: 1.0,
            open: None,
        }
    }

    /// What the losses are: means, unless said otherwise.
    #[must_use]
    pub fn reduction(self, reduction: Reduction) -> Self {
        Self { reduction, ..self }
    }

    /// What becomes of a micro-batch that is infinite or NaN: the window is dropped, unless said otherwise.
    #[must_use]
    pub fn non_finite(self, non_finite: NonFinite) -> Self {
        Self { non_finite, ..self }
    }

    /// The loss scale of the windows that begin from now on: [`GradScaler::scale`](crate::amp::GradScaler::scale), or 1.
    /// That of an open window stays what it is.
    pub fn set_scale(&mut self, scale: f32) {
        self.scale = scale;
    }

    /// Micro-batches in a window, as of this epoch.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Micro-batches in the window that is open.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.open.as_ref().map_or(0, |open| open.micro_batches)
    }

    /// Runs the backward pass of `loss`, a tensor of one element, and adds what it finds for the parameters of `model`.
    /// Gives the window if this was its last micro-batch.
    ///
    /// # Errors
    ///
    /// If the weight is not finite and positive, the loss is not one tracked element of 32 bits at least, or the model
    /// is another one than that of the window's first micro-batch. The window is then as it was.
    /// (Should the backward pass panic, the window is dropped.)
    pub fn add<const D: usize, M: Module>(
        &mut self,
        loss: Tensor<D>,
        weight: impl Into<Weight>,
        model: &M,
    ) -> Result<Option<Window>, Refused> {
        let checked = self.check(&loss, weight.into(), model)?;
        Ok(self.add_checked(loss, checked, model))
    }

    /// Whether a micro-batch can be added, and whether it counts.
    pub(super) fn check<const D: usize, M: Module>(
        &self,
        loss: &Tensor<D>,
        weight: Weight,
        model: &M,
    ) -> Result<Checked, Refused> {
        let weight = weight.checked()?;
        backward::check(loss)?;
        if let Some(open) = &self.open {
            backward::check_model(&open.sum, model)?;
        }
        Ok(Checked {
            weight,
            counts: self.non_finite != NonFinite::LeaveOut || losses::is_finite(loss),
        })
    }

    /// As [`add`](Self::add), of what was checked.
    pub(super) fn add_checked<const D: usize, M: Module>(
        &mut self,
        loss: Tensor<D>,
        checked: Checked,
        model: &M,
    ) -> Option<Window> {
        let weight = checked.weight;
        // If the backward pass panics, half of it may be in the sum: the window is gone then.
        let mut open = self
            .open
            .take()
            .unwrap_or_else(|| Open::new(self.scale, weight, self.reduction));
        open.micro_batches += 1;
        if checked.counts {
            open.add(loss, weight, model);
        } else {
            open.left_out += 1;
        }
        self.open = Some(open);
        self.finish_if(|open, size| open.micro_batches >= size)
    }

    /// Ends the window that is open, if there is one, whatever it holds: it is normalised by that.
    pub fn finish(&mut self) -> Option<Window> {
        self.finish_if(|_, _| true)
    }

    /// Drops the window that is open, and tells how many micro-batches it held.
    pub fn drop_window(&mut self) -> usize {
        self.open.take().map_or(0, |open| open.micro_batches)
    }

    /// Begins an epoch (the first is 0), with the schedule's window size.
    ///
    /// # Errors
    ///
    /// If a window is open: nothing of one epoch gets into the next. [Finish](Self::finish) it or
    /// [drop](Self::drop_window) it.
    pub fn begin_epoch(&mut self, epoch: usize) -> Result<(), WindowIsOpen> {
        match self.pending() {
            0 => {
                self.begin_epoch_anew(epoch);
                Ok(())
            }
            micro_batches => Err(WindowIsOpen { micro_batches }),
        }
    }

    /// As [`begin_epoch`](Self::begin_epoch), without a window that is open.
    pub(super) fn begin_epoch_anew(&mut self, epoch: usize) {
        self.open = None;
        self.size = self.schedule.at(epoch);
    }

    fn finish_if(&mut self, done: impl FnOnce(&Open, usize) -> bool) -> Option<Window> {
        let size = self.size;
        self.open.take_if(|open| done(open, size)).map(Window::new)
    }
}

/// A micro-batch that can be added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checked {
    weight: f32,
    /// Or it is [left out](NonFinite::LeaveOut).
    pub(super) counts: bool,
}
