//! What goes wrong, as values.

use super::micro_batch::ForwardError;
use crate::amp::{self, InvalidScaler};
use crate::train::accumulator::Refused;
use crate::train::batch_norm::BatchNormsError;
use crate::train::observe::ObserverError;
use burn::store::RecordError;
use burn::tensor::DType;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The limit that gradients are to be clipped to is not above 0.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("gradients are to be clipped to {0}, which has to be above 0")]
pub struct InvalidLimit(pub f32);

/// A training is to be saved after every 0 windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a training is to be saved after every 0 windows, which has to be at least 1")]
pub struct InvalidInterval;

/// Why training does not go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The forward pass of a micro-batch gave an error.
    #[error("the forward pass failed: {0}")]
    Forward(#[source] ForwardError),
    /// A micro-batch cannot be added.
    #[error(transparent)]
    MicroBatch(#[from] Refused),
    /// A parameter is in 16 bits.
    #[error(transparent)]
    Model(#[from] amp::Refused),
    /// Batch normalisations cannot be accumulated.
    #[error(transparent)]
    BatchNorms(#[from] BatchNormsError),
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
        "the training was saved after micro-batch {expected} of epoch {epoch}, but its loader gives only {found}: resume with the data that it was saved with"
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
    /// It is to be saved after every so many windows, and nobody has said where.
    #[error(
        "training is to be saved after every so many windows, but there is no folder: call `save_in` as well"
    )]
    NoFolder,
    /// The folder has no training in it.
    #[error(
        "no training is saved in {}: name the folder that `save_in` or `save` was given, or call `resume_if_saved` to begin where there is none", path.display()
    )]
    NothingSaved {
        /// The folder.
        path: PathBuf,
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
    /// The training that was saved is of another kind, so it would not go on as it was.
    #[error("the training in {} cannot go on here: {why}", path.display())]
    Mismatch {
        /// The folder.
        path: PathBuf,
        /// What is of another kind.
        why: &'static str,
    },
    /// The model that was saved has other parameters.
    #[error("the training in {} cannot go on here: its model has other parameters: {source}", path.display())]
    AnotherModel {
        /// The folder.
        path: PathBuf,
        /// Which ones, as burn says it.
        source: RecordError,
    },
    /// burn would load the optimizer's state in another precision.
    #[error(
        "the state that the optimizer has of parameters in {} would come back in {}, burn's default: save the model alone, or configure `Device::default()` for the other before there is any tensor", dtype.name(), default.name()
    )]
    OptimizerState {
        /// Of the parameters.
        dtype: DType,
        /// What burn would load.
        default: DType,
    },
    /// A window is open.
    #[error(
        "the window that is open holds {micro_batches} of its micro-batches, whose gradients are not saved: save when it has ended"
    )]
    WindowIsOpen {
        /// Micro-batches in the window.
        micro_batches: usize,
    },
}

pub(super) fn io_error(path: &Path) -> impl FnOnce(io::Error) -> SaveError {
    let path = path.to_owned();
    |source| SaveError::Io { path, source }
}

pub(super) fn record_error(path: PathBuf) -> impl FnOnce(RecordError) -> SaveError {
    |source| SaveError::Record { path, source }
}

pub(super) fn damaged(path: &Path) -> impl FnOnce(serde_json::Error) -> SaveError {
    let path = path.to_owned();
    |source| SaveError::Damaged { path, source }
}

pub(super) fn another_model(folder: &Path) -> impl FnOnce(RecordError) -> SaveError {
    let path = folder.to_owned();
    |source| SaveError::AnotherModel { path, source }
}

pub(super) fn mismatch(folder: &Path, why: &'static str) -> SaveError {
    let path = folder.to_owned();
    SaveError::Mismatch { path, why }
}
