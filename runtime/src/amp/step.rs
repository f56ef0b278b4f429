//! A whole iteration's end, with one optimizer.

use super::{GradScaler, Overflow, ScaledGradients};
use burn::lr_scheduler::module_lr_scheduler::ModuleLearningRate;
use burn::module::Module;
use burn::optim::ModuleOptimizer;

/// What became of a step.
///
/// ```
/// use remat::amp::Step;
///
/// let mut schedule = vec![0.1, 0.2].into_iter();
/// let mut advance = |step: Step| step.is_taken().then(|| schedule.next());
/// assert_eq!(advance(Step::NoGradients), None);
/// assert_eq!(advance(Step::Taken), Some(Some(0.1)));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a learning rate schedule only advances on a step that was taken"]
pub enum Step {
    /// The optimizer has updated the model.
    Taken,
    /// Gradients were not finite and are gone. Model and optimizer are as they were, to the bit.
    Skipped(Overflow),
    /// No parameter of the model has a gradient: nothing happened, and the scale does not count it.
    NoGradients,
}

impl Step {
    /// Whether the optimizer has updated the model.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::Taken)
    }
}

impl GradScaler {
    /// [Unscales](Self::unscale) the gradients, takes a step of the optimizer if all are finite, and
    /// [ends the iteration](Self::update).
    pub fn step<M: Module>(
        &mut self,
        optimizer: &mut ModuleOptimizer,
        learning_rate: impl Into<ModuleLearningRate>,
        model: M,
        scaled: ScaledGradients,
    ) -> (M, Step) {
        let grads = self.unscale(scaled, &model);
        self.update();
        match grads {
            Ok(grads) if grads.is_empty() => (model, Step::NoGradients),
            Ok(grads) => (optimizer.step(learning_rate, model, grads), Step::Taken),
            Err(overflow) => (model, Step::Skipped(overflow)),
        }
    }
}
