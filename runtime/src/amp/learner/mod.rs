//! Loss scaling in burn's learner.

mod model;
mod schedule;

pub use model::{Scaled, TrainLoss};
pub use schedule::ScaledSchedule;

use super::{GradScaler, GradScalerState, Overflow, ScaledGradients, Step};
use burn::lr_scheduler::LrSchedulerRecord;
use burn::lr_scheduler::module_lr_scheduler::{ModuleLearningRate, ModuleLrScheduler};
use burn::module::Module;
use burn::optim::{GradientsParams, ModuleOptimizer};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A [`GradScaler`] for burn's `Learner` and `SupervisedTraining`: it is part of the [model](Self::model), which scales
/// its loss and leaves out steps that overflow, and of the [schedule](Self::schedule), which waits for steps that are
/// taken. With the schedule it is saved and loaded by the learner's checkpoints.
///
/// Accumulated gradients of the learner are of one scale: it moves where steps are. A model in bf16 needs no scaler, and
/// nothing else than its own `TrainStep`.
///
/// ```
/// use burn::module::Module;
/// use burn::nn::{Linear, LinearConfig, loss::{MseLoss, Reduction}};
/// use burn::optim::SgdConfig;
/// use burn::tensor::{Device, FloatDType, Tensor};
/// use burn::train::{InferenceStep, Learner, RegressionOutput};
/// use remat::amp::{GradScaler, LearnerScaler, TrainLoss};
///
/// #[derive(Module, Debug)]
/// struct Model {
///     linear: Linear,
/// }
///
/// impl Model {
///     fn predict(&self, x: Tensor<2>) -> RegressionOutput {
///         let y = self.linear.forward(x.clone()); // in f16, but for this example
///         RegressionOutput::new(MseLoss::new().forward(y.clone(), x.clone(), Reduction::Mean), y, x)
///     }
/// }
///
/// // In place of burn's `TrainStep`: what it does before the backward pass.
/// impl TrainLoss for Model {
///     type Input = Tensor<2>;
///     type Output = RegressionOutput;
///
///     fn loss(&self, x: Tensor<2>) -> (Tensor<1>, RegressionOutput) {
///         let output = self.predict(x);
///         (output.loss.clone(), output)
///     }
/// }
///
/// impl InferenceStep for Model {
///     type Input = Tensor<2>;
///     type Output = RegressionOutput;
///
///     fn step(&self, x: Tensor<2>) -> RegressionOutput {
///         self.predict(x)
///     }
/// }
///
/// let device = Device::flex().autodiff();
/// let model = Model { linear: LinearConfig::new(2, 2).init(&device) };
///
/// let scaler = LearnerScaler::new(GradScaler::default());
/// let (model, schedule) = (scaler.model(model), scaler.schedule(0.1));
/// let mut learner = Learner::new(model, SgdConfig::new().init(), schedule);
///
/// // What `SupervisedTraining` does with it for every batch:
/// let output = learner.train_step(Tensor::ones([3, 2], &device));
/// learner.lr_step();
/// learner.optimizer_step(output.grads);
///
/// assert_eq!(scaler.scaler().state().good_steps, 1);
/// let model: Model = learner.model().into_inner();
/// # let _ = (model, FloatDType::F16);
/// ```
#[derive(Clone, Debug)]
pub struct LearnerScaler(Arc<Mutex<Shared>>);

#[derive(Debug)]
struct Shared {
    scaler: GradScaler,
    /// Whether the last step was, and why if it was in this process.
    skipped: bool,
    overflow: Option<Overflow>,
}

impl LearnerScaler {
    /// The scaler for one learner. Clones are the same scaler.
    #[must_use]
    pub fn new(scaler: GradScaler) -> Self {
        Self(Arc::new(Mutex::new(Shared {
            scaler,
            skipped: false,
            overflow: None,
        })))
    }

    /// The model for the learner: it has the same parameters, and records of it are those of the model.
    pub fn model<M>(&self, model: M) -> Scaled<M> {
        Scaled::new(model, self.clone())
    }

    /// The learning rate schedule for the learner.
    pub fn schedule(&self, schedule: impl Into<ModuleLrScheduler>) -> ScaledSchedule {
        ScaledSchedule::new(schedule.into(), self.clone())
    }

    /// The scaler as it is now.
    #[must_use]
    pub fn scaler(&self) -> GradScaler {
        self.lock().scaler.clone()
    }

    /// Why the last step was skipped, if it was.
    #[must_use]
    pub fn last_overflow(&self) -> Option<Overflow> {
        self.lock().overflow.clone()
    }

    /// The scaler stays usable when a model panicked.
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step<M: Module>(
        &self,
        optimizer: &mut ModuleOptimizer,
        rate: ModuleLearningRate,
        model: M,
        grads: GradientsParams,
    ) -> M {
        let shared = &mut *self.lock();
        let scaled = ScaledGradients::from_grads(grads, shared.scaler.scale());
        let (model, step) = shared.scaler.step(optimizer, rate, model, scaled);
        shared.skipped = !step.is_taken();
        shared.overflow = match step {
            Step::Skipped(overflow) => Some(overflow),
            Step::Taken | Step::NoGradients => None,
        };
        model
    }

    fn last_skipped(&self) -> bool {
        self.lock().skipped
    }

    /// Goes on from a record; from one of a training without a scaler, with the scaler as it is.
    ///
    /// # Panics
    ///
    /// If only some of the numbers are there, or they cannot be a scaler's: burn takes no error here.
    fn load(&self, record: &LrSchedulerRecord, skipped: bool) {
        let shared = &mut *self.lock();
        shared.skipped = skipped;
        if GradScalerState::is_in(record) {
            match shared.scaler.clone().load_record(record) {
                Ok(scaler) => shared.scaler = scaler,
                Err(invalid) => {
                    panic!("remat: the record of the learning rate schedule: {invalid}")
                }
            }
        }
    }
}
