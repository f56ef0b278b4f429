//! What goes wrong, as values.

use crate::amp::{self, InvalidScaler};
use crate::train::accumulator::Refused;
use crate::train::batch_norm::UnnamedBatchNorms;
use crate::train::observe::ObserverError;
use burn::store::RecordError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// The limit of a norm is not above 0.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("gradients are to be clipped to a norm of {0}, which has to be above 0")]
pub struct InvalidMaxNorm(pub f32);

/// Why training does not go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A micro-batch cannot be added.
    #[error(transparent)]
    MicroBatch(#[from] Refused),
    /// The model cannot be trained with a scaler.
    #[error(transparent)]
    Model(#[from] amp::Refused),
    /// A batch normalisation was not named.
    #[error(transparent)]
    BatchNorms(#[from] UnnamedBatchNorms),
    /// A loader has no micro-batches.
    #[error(
        "the loader of epoch {epoch} (the first is 0) gives no micro-batch: is the dataset empty, or smaller than a batch that must be full?"
    )]
    EmptyLoader {
        /// Its epoch.
        epoch: usize,
    },
    /// A loader gives fewer micro-batches than the training was saved after.
    #[error(
        "the training was saved after {expected} micro-batches of epoch {epoch}, but its loader gives only {found}: resume with the data that it was saved with"
    )]
    ShorterLoader {
        /// Its epoch.
        epoch: usize,
        /// Micro-batches before the training was saved.
        expected: usize,
        /// Micro-batches of the loader.
        found: usize,
    },
    /// An observer failed.
    #[error("what observes the training failed: {0}")]
    Observer(#[source] ObserverError),
    /// The training cannot be saved.
    #[error(transparent)]
    Save(#[from] SaveError),
}

/// Why a training cannot be saved or resumed. What was saved before is as it was.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// A file or folder.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A record of burn's.
    #[error("{}: {source}", path.display())]
    Record {
        /// Its file.
        path: PathBuf,
        /// Why.
        source: RecordError,
    },
    /// What the loop itself has written.
    #[error("{} is damaged: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// A scaler's numbers.
    #[error(transparent)]
    Scaler(#[from] InvalidScaler),
    /// The training was saved with another one of these, so it would not go on as it was.
    #[error("the training in {} was saved with another {what} than this one has", path.display())]
    Mismatch {
        /// The folder.
        path: PathBuf,
        /// What is another one.
        what: &'static str,
    },
    /// A window is open.
    #[error(
        "the window that is open holds {micro_batches} micro-batches, whose gradients are not saved: save when it has ended"
    )]
    WindowIsOpen {
        /// Micro-batches in the window.
        micro_batches: usize,
    },
}
