//! Batch normalisation in a window of micro-batches.

mod moments;
mod running;
mod warning;

use super::accumulator::Weight;
use crate::strategy::with_frozen_stats;
use burn::module::{Flag, Module, ModuleVisitor, Param};
use burn::nn::BatchNorm;
use moments::Moments;
use running::Unmoved;
use std::collections::HashSet;
use std::{fmt, ptr};
use thiserror::Error;

/// What the batch normalisations of a model do while gradients accumulate.
///
/// Each micro-batch is normalised by its own statistics: of a batch `[0, 2, 10, 12]` the mean is 6 and the variance 26; of
/// its halves, 1 and 11, and 1. So the gradient of a window is not that of the batch, whatever the weights. Of the three
/// choices, only the second makes it so (its statistics are constants); the third keeps inference right.
///
/// burn's learner runs the forward pass itself: there, `#[frozen_stats]` on the model's fields does what the second does.
///
/// * [`as_is`](Self::as_is): running statistics move with every micro-batch. Says so, once.
/// * [`frozen`](Self::frozen): normalises with the running statistics, which stay.
/// * [`accumulated`](Self::accumulated): running statistics move once a window, with mean and variance of all of it.
///
/// ```
/// use burn::nn::{BatchNorm, BatchNormConfig};
/// use burn::tensor::{Device, Tensor};
/// use remat::train::BatchNorms;
///
/// let device = Device::flex().autodiff();
/// let norm = BatchNormConfig::new(1).with_momentum(1.0).init(&device);
/// let mut norms = BatchNorms::accumulated(|norm: &BatchNorm| vec![norm]);
///
/// for half in [[[0.0], [2.0]], [[10.0], [12.0]]] {
///     let x = Tensor::<2>::from_floats(half, &device);
///     let loss = norms.forward(&norm, 2, |norm| norm.forward(x).mean())?;
///     // .. accumulate its gradient
/// #   let _ = loss;
/// }
/// norms.end_window(&norm); // .. and take a step
///
/// assert_eq!(norm.running_mean.value_sync().into_scalar::<f32>(), 6.0);
/// assert_eq!(norm.running_var.value_sync().into_scalar::<f32>(), 26.0);
/// # Ok::<(), remat::train::BatchNormsError>(())
/// ```
pub struct BatchNorms<M>(Choice<M>);

enum Choice<M> {
    AsIs {
        /// Of the window.
        micro_batches: usize,
        warned: bool,
    },
    Frozen,
    Accumulated {
        find: fn(&M) -> Vec<&BatchNorm>,
        /// Of each, in this window; empty before it.
        moments: Vec<Moments>,
    },
}

/// Why a forward pass did not run.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum BatchNormsError {
    /// The model has batch normalisations that [`BatchNorms::accumulated`] was not told of.
    #[error(
        "of the model's batch normalisations ({found}), the function given to `BatchNorms::accumulated` names {named}: the statistics of the others would move with every micro-batch"
    )]
    Unnamed {
        /// Batch normalisations of the model.
        found: usize,
        /// Those that were named.
        named: usize,
    },
    /// The number of samples is zero, negative or not finite.
    #[error("a micro-batch cannot have {0} samples: skip one that has none")]
    Samples(f64),
}

impl<M> Default for BatchNorms<M> {
    fn default() -> Self {
        Self(Choice::AsIs {
            micro_batches: 0,
            warned: false,
        })
    }
}

impl<M> fmt::Debug for BatchNorms<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Choice::AsIs { .. } => "BatchNorms::as_is",
            Choice::Frozen => "BatchNorms::frozen",
            Choice::Accumulated { .. } => "BatchNorms::accumulated",
        })
    }
}

impl<M> BatchNorms<M> {
    /// Nothing is changed. If the model has batch normalisations in training, a window's second micro-batch says on the
    /// error stream, once, what that means.
    #[must_use]
    pub fn as_is() -> Self {
        Self::default()
    }

    /// All normalise with their running statistics, as with [`frozen_stats`](crate::frozen_stats()): what a sample gives
    /// does not depend on the others. For fine-tuning.
    #[must_use]
    pub fn frozen() -> Self {
        Self(Choice::Frozen)
    }

    /// The running statistics move at the end of a window, once: by mean and variance of all its samples, as for one batch.
    ///
    /// `find` names the batch normalisations of a model: all of them, since their momentum is not seen from outside. Each
    /// runs once in a micro-batch: what a batch was is known from how far it has moved them.
    #[must_use]
    pub fn accumulated(find: fn(&M) -> Vec<&BatchNorm>) -> Self {
        Self(Choice::Accumulated {
            find,
            moments: Vec::new(),
        })
    }

    /// Forgets the window: nothing of it gets into the running statistics, if they are [accumulated](Self::accumulated).
    pub fn drop_window(&mut self) {
        match &mut self.0 {
            Choice::AsIs { micro_batches, .. } => *micro_batches = 0,
            Choice::Frozen => {}
            Choice::Accumulated { moments, .. } => moments.clear(),
        }
    }
}

impl<M: Module> BatchNorms<M> {
    /// Runs the forward pass of a micro-batch of so many samples, on the model or a copy of it with the same parameters.
    ///
    /// Samples count as the rows that a normalisation sees: for images of several sizes, count pixels.
    ///
    /// # Errors
    ///
    /// If a batch normalisation was not [named](Self::accumulated), or the number of samples cannot be; `forward` does not
    /// run then.
    pub fn forward<T>(
        &mut self,
        model: &M,
        samples: impl Into<Weight>,
        forward: impl FnOnce(&M) -> T,
    ) -> Result<T, BatchNormsError> {
        let samples = samples.into().value();
        if !(samples.is_finite() && samples > 0.0) {
            return Err(BatchNormsError::Samples(samples));
        }
        self.forward_counted(model, forward, |_| samples)
    }

    /// As [`forward`](Self::forward), where only the output says how many samples there were: 0 if it is not of the window.
    pub(super) fn forward_counted<T>(
        &mut self,
        model: &M,
        forward: impl FnOnce(&M) -> T,
        samples: impl FnOnce(&T) -> f64,
    ) -> Result<T, BatchNormsError> {
        match &mut self.0 {
            Choice::AsIs {
                micro_batches,
                warned,
            } => {
                let output = forward(model);
                *micro_batches += usize::from(samples(&output) > 0.0);
                if *micro_batches == 2 && !*warned {
                    *warned = warning::say(model);
                }
                Ok(output)
            }
            Choice::Frozen => Ok(forward(&with_frozen_stats(model).0)),
            Choice::Accumulated { find, moments } => {
                let norms = find(model);
                check(model, &norms)?;
                moments.resize_with(norms.len(), Moments::default);
                let before = Unmoved::new(norms);
                let output = forward(model);
                let samples = samples(&output);
                if samples > 0.0 {
                    for ((norm, before), moments) in before.iter().zip(moments) {
                        let after = running::read(norm);
                        moments.add(before, &after, norm.momentum, samples);
                    }
                }
                Ok(output)
            }
        }
    }

    /// Ends a window: now the running statistics move, if they are [accumulated](Self::accumulated).
    pub fn end_window(&mut self, model: &M) {
        if let Choice::Accumulated { find, moments } = &mut self.0 {
            for (norm, moments) in find(model).into_iter().zip(moments.drain(..)) {
                let statistics = moments.moved(running::read(norm), norm.momentum);
                running::write(norm, statistics);
            }
        }
        self.drop_window();
    }
}

fn check<M: Module>(model: &M, norms: &[&BatchNorm]) -> Result<(), BatchNormsError> {
    let mut count = Count::default();
    model.visit(&mut count);
    let found = count.all;
    // One that is named twice is one.
    let named: HashSet<*const BatchNorm> = norms.iter().map(|norm| ptr::from_ref(*norm)).collect();
    match named.len() {
        named if named == found => Ok(()),
        named => Err(BatchNormsError::Unnamed { found, named }),
    }
}

/// Counts batch normalisations.
#[derive(Default)]
struct Count {
    /// Whether the field that is being visited is the flag of one; the innermost last.
    path: Vec<bool>,
    all: usize,
    training: usize,
}

impl ModuleVisitor for Count {
    fn enter_module(&mut self, name: &str, container_type: &str) {
        self.path
            .push(container_type == "Struct:BatchNorm" && name == "training");
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_flag(&mut self, flag: &Param<Flag>) {
        if self.path.last() == Some(&true) {
            self.all += 1;
            self.training += usize::from(flag.is_enabled());
        }
    }
}
