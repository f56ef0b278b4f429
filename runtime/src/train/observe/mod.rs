//! Who is told how a training goes.
//!
//! * [`Metrics`]: a line of JSON for every window, and with the feature `plot` a picture of them.
//! * `ProgressBar` (feature `progress`): what a person wants to see meanwhile.
//!
//! A closure is one that is told of windows:
//!
//! ```
//! # use burn::{nn::LinearConfig, optim::SgdConfig, tensor::Device};
//! # use remat::train::TrainLoop;
//! use remat::train::Update;
//!
//! # let device = Device::flex().autodiff();
//! # let model = LinearConfig::new(2, 1).init(&device);
//! let training = TrainLoop::new(model, SgdConfig::new().init(), 0.1)
//!     .observe(|update: &Update| println!("{}", update.loss));
//! ```
//!
//! What wants more, or can fail, implements [`Observer`]:
//!
//! ```
//! use remat::train::observe::{Observer, ObserverError};
//! use remat::train::Update;
//!
//! /// Complains of steps that are not taken.
//! struct Skips;
//!
//! impl Observer for Skips {
//!     fn update(&mut self, update: &Update) -> Result<(), ObserverError> {
//!         if !update.outcome.is_taken() {
//!             eprintln!("window {}: {:?}", update.position.windows, update.outcome);
//!         }
//!         Ok(())
//!     }
//! }
//! ```

mod metrics;
#[cfg(feature = "plot")]
mod plot;
#[cfg(feature = "progress")]
mod progress;

pub use metrics::Metrics;
#[cfg(feature = "progress")]
pub use progress::ProgressBar;

use super::train_loop::{Position, Summary, Update};
use std::error::Error;

/// Why an observer failed: any error.
pub type ObserverError = Box<dyn Error + Send + Sync>;

/// Is told how a training goes. An error ends it.
pub trait Observer {
    /// Training begins, or goes on, from here.
    ///
    /// # Errors
    ///
    /// What the observer says.
    fn begin(&mut self, position: &Position) -> Result<(), ObserverError> {
        let _ = position;
        Ok(())
    }

    /// [`TrainLoop::run`](super::TrainLoop::run) begins an epoch, or goes on with it.
    ///
    /// # Errors
    ///
    /// What the observer says.
    fn epoch(&mut self, epoch: &Epoch) -> Result<(), ObserverError> {
        let _ = epoch;
        Ok(())
    }

    /// A window has ended.
    ///
    /// # Errors
    ///
    /// What the observer says.
    fn update(&mut self, update: &Update) -> Result<(), ObserverError> {
        let _ = update;
        Ok(())
    }

    /// Training has ended.
    ///
    /// # Errors
    ///
    /// What the observer says.
    fn end(&mut self, summary: &Summary) -> Result<(), ObserverError> {
        let _ = summary;
        Ok(())
    }
}

impl<F: FnMut(&Update)> Observer for F {
    fn update(&mut self, update: &Update) -> Result<(), ObserverError> {
        self(update);
        Ok(())
    }
}

/// An epoch that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Epoch {
    /// Its number; the first is 0.
    pub number: usize,
    /// Epochs in all.
    pub epochs: usize,
    /// Its windows, if the loader says how many micro-batches it has.
    pub windows: Option<usize>,
    /// Those that it has had, where training goes on in the middle of it.
    pub begun_after: usize,
}

impl Epoch {
    pub(super) fn new(
        position: Position,
        epochs: usize,
        (least, most): (usize, Option<usize>),
        window: usize,
    ) -> Self {
        let micro_batches = most.filter(|most| *most == least);
        Self {
            number: position.epoch,
            epochs,
            windows: micro_batches.map(|micro_batches| micro_batches.div_ceil(window)),
            begun_after: position.micro_batches / window,
        }
    }
}
