//! The training loop: windows of micro-batches, one step for each, and what surrounds them.
//!
//! It composes the parts of [`train`](crate::train) and [`amp`](crate::amp) and does nothing that they do not.

mod dtypes;
mod errors;
mod gauge;
mod micro_batch;
mod options;
mod places;
mod position;
mod resume;
mod run;
mod save;
mod stepper;
mod tied;
mod update;
mod window;

pub use errors::{InvalidInterval, InvalidLimit, SaveError, TrainError};
pub use micro_batch::{ForwardError, IntoMicroBatch, MicroBatch};
pub use options::LastWindow;
pub use position::Position;
pub use run::Summary;
pub use update::{Outcome, Update};

use super::accumulator::{Accumulator, Schedule};
use super::batch_norm::BatchNorms;
use super::observe::Observer;
use super::stop::StopSignal;
use burn::lr_scheduler::module_lr_scheduler::ModuleLrScheduler;
use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::ModuleOptimizer;
use burn::tensor::Tensor;
use gauge::Gauge;
use save::Saves;
use std::fmt;
use stepper::Stepper;
use tied::tied;

/// Trains a model in windows of micro-batches: [`Accumulator`], [`GradScaler`](crate::amp::GradScaler),
/// [`clip_grad_norm`](super::clip_grad_norm), [`BatchNorms`], an optimizer and a schedule of burn's, in the order that is
/// right. Saves and resumes to the bit.
///
/// ```
/// use burn::nn::LinearConfig;
/// use burn::optim::AdamWConfig;
/// use burn::tensor::{Device, Tensor};
/// use remat::train::{MicroBatch, TrainLoop};
///
/// let device = Device::flex().autodiff();
/// let model = LinearConfig::new(4, 1).init(&device);
/// // Or any iterator; for burn's `DataLoader`, see `run`.
/// let batches = [4, 4, 4, 4, 4, 3].map(|samples| Tensor::<2>::ones([samples, 4], &device));
///
/// let mut training = TrainLoop::new(model, AdamWConfig::new().init(), 1e-2)
///     .accumulate(4)? // an update for every four micro-batches
///     .clip_grad_norm(1.0)?;
/// let summary = training.run(3, |_epoch| batches.clone(), |model, batch| {
///     let samples = batch.dims()[0];
///     MicroBatch::new(model.forward(batch).square().mean(), samples)
/// })?;
///
/// // Of every epoch the last window has two micro-batches, and is normalised by their seven samples.
/// assert_eq!(summary.position.windows, 6);
/// let model = training.into_model();
/// # let _ = model;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// With a loop of your own, call [`micro_batch`](Self::micro_batch) and [`end_epoch`](Self::end_epoch): [`run`](Self::run)
/// does nothing else.
///
/// # What a window is
///
/// * Its random numbers are its own: the devices of the model are seeded when it begins, from the loop's
///   [seed](Self::seed) and the number of the window. So training goes on to the bit where it was saved, whatever layers
///   draw. (burn's generators belong to the process: two loops with random layers, at the same time, disturb one another.)
/// * The schedule advances, and the optimizer counts a step, only if it is taken: not if a loss or a gradient is infinite
///   or NaN. That is an [`Outcome`], not an error.
/// * Clipping sees the gradient of the whole window, unscaled, once.
/// * A parameter that the model has in several places (clones of one `Param`) stays one: burn's optimizers move the first of
///   them only.
///
/// # Or burn's learner
///
/// burn's `Learner` and `SupervisedTraining` have what this has not: validation with metrics, early stopping, a
/// dashboard, several devices. They accumulate as well, without weights, with two sets of gradients; a
/// `LearnerScaler` (feature `train`) scales their loss. Take this loop where micro-batches are unequal, where
/// gradients are the peak of memory, for batch normalisation in windows, or for exact resumption in the middle of an epoch.
///
/// # What it costs
///
/// At the end of a window, the loop reads losses, whether gradients are finite, and their norm if it clips by that, all at
/// once: it waits for the device one time, however many parameters there are. Saving
/// copies the parameters and the optimizer's state into host memory.
pub struct TrainLoop<M> {
    /// There is none only while a step makes the next.
    model: Option<M>,
    stepper: Stepper,
    accumulator: Accumulator,
    norms: BatchNorms<M>,
    last_window: LastWindow,
    seed: Option<u64>,
    position: Position,
    /// Of the window that has begun.
    gauge: Option<Gauge>,
    /// Micro-batches of the epoch before that window.
    began_after: usize,
    observers: Vec<Box<dyn Observer>>,
    observed: bool,
    stop: StopSignal,
    saves: Saves,
}

impl<M: Module> TrainLoop<M> {
    /// A loop with windows of one micro-batch. A number is a schedule too: a constant learning rate.
    pub fn new(
        model: M,
        optimizer: impl Into<ModuleOptimizer>,
        schedule: impl Into<ModuleLrScheduler>,
    ) -> Self {
        Self {
            model: Some(drawn(model)),
            stepper: Stepper::new(optimizer.into(), schedule.into()),
            accumulator: Accumulator::scheduled(Schedule::default()),
            norms: BatchNorms::as_is(),
            last_window: LastWindow::default(),
            seed: None,
            position: Position::default(),
            gauge: None,
            began_after: 0,
            observers: Vec::new(),
            observed: false,
            stop: StopSignal::new(),
            saves: Saves::default(),
        }
    }

    /// Changes the model: freezes a part of it, say, or what was frozen no longer is.
    ///
    /// A parameter that is frozen does not move, also by what a window that is open has found for it.
    ///
    /// ```
    /// # use burn::{nn::LinearConfig, optim::SgdConfig, tensor::Device};
    /// # use remat::train::TrainLoop;
    /// use burn::module::{Module, ParamGroup};
    ///
    /// # let device = Device::flex().autodiff();
    /// # let model = LinearConfig::new(2, 1).init(&device);
    /// # let mut training = TrainLoop::new(model, SgdConfig::new().init(), 0.1);
    /// training = training.map_model(|model| model.freeze_group(ParamGroup::from_path("bias")));
    /// assert!(!training.model().bias.as_ref().unwrap().is_require_grad());
    /// ```
    ///
    /// # Panics
    ///
    /// If a step of the optimizer has panicked: the model was in it.
    #[must_use]
    pub fn map_model(mut self, change: impl FnOnce(M) -> M) -> Self {
        let model = self.model.expect(IN_A_STEP);
        self.model = Some(drawn(change(model)));
        self
    }
}

impl<M> TrainLoop<M> {
    /// The model as of the last step.
    ///
    /// # Panics
    ///
    /// If a step of the optimizer has panicked: the model was in it.
    #[must_use]
    pub fn model(&self) -> &M {
        self.model.as_ref().expect(IN_A_STEP)
    }

    /// The model as of the last step.
    ///
    /// # Panics
    ///
    /// If a step of the optimizer has panicked: the model was in it.
    #[must_use]
    pub fn into_model(self) -> M {
        self.model.expect(IN_A_STEP)
    }

    /// Where training is.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }
}

const IN_A_STEP: &str = "there is a model, unless a step of the optimizer has panicked";

impl<M> fmt::Debug for TrainLoop<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrainLoop")
            .field("position", &self.position)
            .field("accumulator", &self.accumulator)
            .field("norms", &self.norms)
            .finish_non_exhaustive()
    }
}

/// burn leaves it to their first use to draw parameters, which would be in a window.
fn drawn<M: Module>(model: M) -> M {
    model.visit(&mut Draw);
    tied(model)
}

struct Draw;

impl ModuleVisitor for Draw {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let _ = param.val();
    }
}
