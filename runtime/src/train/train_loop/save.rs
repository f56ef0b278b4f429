//! Saving and resuming.
//!
//! A folder with the records of burn's, and the loop's own numbers. It is written under another name and then renamed, so
//! that a folder with the right name is complete.

use super::{Position, SaveError, TrainError, TrainLoop};
use crate::amp::GradScalerState;
use burn::lr_scheduler::LrSchedulerRecord;
use burn::module::Module;
use burn::optim::OptimizerRecord;
use burn::serde::{Deserialize, Serialize};
use burn::store::{ModuleRecord, RecordError};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const MODEL: &str = "model.bpk";
const OPTIMIZER: &str = "optimizer.bpk";
const SCHEDULE: &str = "schedule.bpk";
const LOOP: &str = "loop.json";

/// When and where.
pub(super) struct Saves {
    folder: PathBuf,
    pub(super) every: Option<usize>,
}

impl Saves {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            every: None,
        }
    }
}

/// The loop's own numbers.
#[derive(Serialize, Deserialize)]
#[serde(crate = "burn::serde")]
struct Numbers {
    position: Position,
    seed: Option<u64>,
    scaler: Option<GradScalerState>,
}

impl<M: Module> TrainLoop<M> {
    /// Saves all that training needs to go on to the bit: model, optimizer, schedule, scaler, position and seed.
    ///
    /// The folder is replaced as a whole, once everything is written: whoever kills the program finds the old one or the new
    /// one (under its name, or with `.previous` behind it, where [`resume`](Self::resume) looks as well).
    ///
    /// ```
    /// # use burn::{nn::{Linear, LinearConfig}, optim::AdamWConfig, tensor::{Device, Tensor}};
    /// # use remat::train::{MicroBatch, TrainLoop};
    /// let device = Device::flex().autodiff();
    /// let training = || {
    ///     let model = LinearConfig::new(2, 1).init(&device);
    ///     TrainLoop::new(model, AdamWConfig::new().init(), 0.1)
    /// };
    /// let forward = |model: &Linear, x: Tensor<2>| MicroBatch::new(model.forward(x).mean(), 1);
    /// let loader = |_| [Tensor::<2>::ones([1, 2], &device)];
    /// # let folder = std::env::temp_dir().join(format!("remat-doc-{}", std::process::id()));
    ///
    /// let mut first = training();
    /// first.run(2, loader, forward)?;
    /// first.save(&folder)?;
    ///
    /// let mut second = training().resume(&folder)?;
    /// assert_eq!(second.model().weight.val().to_data(), first.model().weight.val().to_data());
    /// second.run(3, loader, forward)?; // one epoch more
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a window is open, or files cannot be written.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<(), SaveError> {
        match self.accumulator.pending() {
            0 => {}
            micro_batches => return Err(SaveError::WindowIsOpen { micro_batches }),
        }
        let folder = folder.as_ref();
        let partial = beside(folder, "partial");
        remove(&partial)?;
        fs::create_dir_all(&partial).map_err(io_error(&partial))?;
        self.write(&partial)?;
        replace(folder, &partial)
    }

    fn write(&self, folder: &Path) -> Result<(), SaveError> {
        let record = |name| {
            let path = folder.join(name);
            (path.clone(), record_error(path))
        };
        let (path, error) = record(MODEL);
        self.model()
            .clone()
            .into_record()
            .save(path)
            .map_err(error)?;
        let (path, error) = record(OPTIMIZER);
        self.stepper.optimizer.save(path).map_err(error)?;
        let (path, error) = record(SCHEDULE);
        let schedule = self.stepper.schedule.to_record();
        schedule.save(path).map_err(error)?;

        let numbers = Numbers {
            position: self.position,
            seed: self.seed,
            scaler: self.stepper.scaler.as_ref().map(|scaler| scaler.state()),
        };
        let path = folder.join(LOOP);
        let numbers = serde_json::to_string_pretty(&numbers).map_err(damaged(&path))?;
        fs::write(&path, numbers + "\n").map_err(io_error(&path))
    }

    /// Goes on where the training in this folder was saved, with the options of this one, and a model, an optimizer, a
    /// schedule and a scaler of the same kind.
    ///
    /// # Errors
    ///
    /// If the folder is not there or is damaged, or one of those is of another kind.
    pub fn resume(self, folder: impl AsRef<Path>) -> Result<Self, SaveError> {
        let folder = complete(folder.as_ref());
        let numbers: Numbers = {
            let path = folder.join(LOOP);
            let text = fs::read_to_string(&path).map_err(io_error(&path))?;
            serde_json::from_str(&text).map_err(damaged(&path))?
        };
        self.resume_model(&folder)?
            .resume_optimizer(&folder)?
            .resume_schedule(&folder)?
            .resume_scaler(&folder, numbers.scaler)
            .map(|training| training.at(numbers.position, numbers.seed))
    }

    fn at(mut self, position: Position, seed: Option<u64>) -> Self {
        self.position = position;
        self.seed = seed;
        self.accumulator.drop_window();
        let began = self.accumulator.begin_epoch(position.epoch);
        began.expect("no window is open");
        self
    }

    fn resume_model(mut self, folder: &Path) -> Result<Self, SaveError> {
        let path = folder.join(MODEL);
        let model = self.model.take().expect(super::IN_A_STEP);
        let record = ModuleRecord::load(&path).map_err(record_error(path.clone()))?;
        let model = model.try_load_record(record).map_err(record_error(path))?;
        self.model = Some(model);
        Ok(self)
    }

    /// burn leaves out what it cannot use, which would begin anew.
    fn resume_optimizer(mut self, folder: &Path) -> Result<Self, SaveError> {
        let path = folder.join(OPTIMIZER);
        let record = OptimizerRecord::load(&path).map_err(record_error(path))?;
        let saved = record.len();
        let optimizer = self.stepper.optimizer.load_record(record);
        if optimizer.to_record().len() != saved {
            return Err(mismatch(folder, "optimizer"));
        }
        self.stepper.optimizer = optimizer;
        Ok(self)
    }

    /// burn leaves out what it cannot use, which would begin anew.
    fn resume_schedule(mut self, folder: &Path) -> Result<Self, SaveError> {
        let path = folder.join(SCHEDULE);
        let record = LrSchedulerRecord::load(&path).map_err(record_error(path.clone()))?;
        let schedule = self.stepper.schedule.load_record(record.clone());
        let bytes = |record: LrSchedulerRecord| record.into_bytes();
        let saved = bytes(record).map_err(record_error(path.clone()))?;
        let loaded = bytes(schedule.to_record()).map_err(record_error(path))?;
        if saved[..] != loaded[..] {
            return Err(mismatch(folder, "schedule"));
        }
        self.stepper.schedule = schedule;
        Ok(self)
    }

    fn resume_scaler(
        mut self,
        folder: &Path,
        state: Option<GradScalerState>,
    ) -> Result<Self, SaveError> {
        self.stepper.scaler = match (self.stepper.scaler, state) {
            (Some(scaler), Some(state)) => Some(scaler.load_state(state)?),
            (None, None) => None,
            _ => {
                return Err(mismatch(
                    folder,
                    "precision: only one of the two has a scaler",
                ));
            }
        };
        Ok(self)
    }

    pub(super) fn save_after_window(&self) -> Result<(), TrainError> {
        let every = self.saves.as_ref().and_then(|saves| saves.every);
        match every {
            Some(every) if self.position.windows.is_multiple_of(every) => self.save_now(),
            _ => Ok(()),
        }
    }

    pub(super) fn save_after_epoch(&self) -> Result<(), TrainError> {
        self.save_now()
    }

    pub(super) fn save_at_stop(&self) -> Result<(), TrainError> {
        self.save_now()
    }

    fn save_now(&self) -> Result<(), TrainError> {
        match &self.saves {
            Some(saves) => Ok(self.save(&saves.folder)?),
            None => Ok(()),
        }
    }
}

/// A folder's name, with something behind it.
fn beside(folder: &Path, suffix: &str) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}

/// Lets the new folder take the old one's place.
fn replace(folder: &Path, new: &Path) -> Result<(), SaveError> {
    let previous = beside(folder, "previous");
    if folder.exists() {
        remove(&previous)?;
        fs::rename(folder, &previous).map_err(io_error(folder))?;
    }
    fs::rename(new, folder).map_err(io_error(folder))?;
    remove(&previous)
}

/// The folder; or the one before it, where saving was interrupted between two names.
fn complete(folder: &Path) -> PathBuf {
    let previous = beside(folder, "previous");
    if !folder.exists() && previous.exists() {
        previous
    } else {
        folder.to_owned()
    }
}

fn remove(folder: &Path) -> Result<(), SaveError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error(folder)(error)),
        _ => Ok(()),
    }
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> SaveError {
    let path = path.to_owned();
    |source| SaveError::Io { path, source }
}

fn record_error(path: PathBuf) -> impl FnOnce(RecordError) -> SaveError {
    |source| SaveError::Record { path, source }
}

fn damaged(path: &Path) -> impl FnOnce(serde_json::Error) -> SaveError {
    let path = path.to_owned();
    |source| SaveError::Damaged { path, source }
}

fn mismatch(folder: &Path, what: &'static str) -> SaveError {
    let path = folder.to_owned();
    SaveError::Mismatch { path, what }
}
