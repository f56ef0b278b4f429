//! Saving.

use super::dtypes::Dtypes;
use super::errors::{damaged, io_error, record_error};
use super::places::Places;
use super::{Position, SaveError, TrainError, TrainLoop};
use crate::amp::{GradScaler, GradScalerState};
use burn::module::Module;
use burn::optim::OptimizerRecord;
use burn::serde::{Deserialize, Serialize};
use burn::tensor::{DType, Device};
use std::fs;
use std::path::{Path, PathBuf};

pub(super) const MODEL: &str = "model.bpk";
pub(super) const OPTIMIZER: &str = "optimizer.bpk";
pub(super) const SCHEDULE: &str = "schedule.bpk";
pub(super) const LOOP: &str = "loop.json";

/// Where and when.
#[derive(Default)]
pub(super) struct Saves {
    pub(super) folder: Option<PathBuf>,
    /// After every so many windows, besides after every epoch.
    pub(super) every: Option<usize>,
}

/// The loop's own numbers.
#[derive(Serialize, Deserialize)]
#[serde(crate = "burn::serde")]
pub(super) struct Numbers {
    pub(super) position: Position,
    pub(super) seed: Option<u64>,
    pub(super) scaler: Option<GradScalerState>,
}

impl<M: Module> TrainLoop<M> {
    /// Saves all that training needs to go on to the bit: model, optimizer, schedule, scaler, position and seed.
    ///
    /// It is in `training` in the folder, which is replaced as a whole, once everything is written: whoever kills the program
    /// finds the old one or the new one (under its name, or as `training.previous`, where [`resume`](Self::resume) looks as
    /// well). Nothing else in the folder is touched. A training that goes on begins where its next window did: what was passed
    /// over since, as it had nothing to learn from, comes again.
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
    /// If a window is open, files cannot be written, or the optimizer's state would come back in another precision: that of
    /// parameters in f64, unless it is what `Device::default()` is configured for.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<(), SaveError> {
        match self.accumulator.pending() {
            0 => {}
            micro_batches => return Err(SaveError::WindowIsOpen { micro_batches }),
        }
        let places = Places::in_folder(folder.as_ref());
        self.write(places.begin()?)?;
        places.replace()
    }

    /// burn loads an optimizer's state in its default precision, whatever that was.
    fn check_optimizer(&self, state: &OptimizerRecord) -> Result<(), SaveError> {
        let default = DType::from(Device::default().settings().float_dtype);
        let other = |dtype: &DType| *dtype != default;
        match Dtypes::of(self.model()).trained.into_iter().find(other) {
            Some(dtype) if !state.is_empty() => Err(SaveError::OptimizerState { dtype, default }),
            _ => Ok(()),
        }
    }

    fn write(&self, folder: &Path) -> Result<(), SaveError> {
        let optimizer = self.stepper.optimizer.to_record();
        self.check_optimizer(&optimizer)?;
        let record = |name| {
            let path = folder.join(name);
            (path.clone(), record_error(path))
        };
        // Of batch normalisations burn's record has what they were before their last forward pass, unless this was called.
        let _ = self.model().valid();
        let (path, error) = record(MODEL);
        self.model()
            .clone()
            .into_record()
            .save(path)
            .map_err(error)?;
        let (path, error) = record(OPTIMIZER);
        optimizer.save(path).map_err(error)?;
        let (path, error) = record(SCHEDULE);
        let schedule = self.stepper.schedule.to_record();
        schedule.save(path).map_err(error)?;

        let numbers = Numbers {
            position: self.between_windows(),
            seed: self.seed,
            scaler: self.stepper.scaler.as_ref().map(GradScaler::state),
        };
        let path = folder.join(LOOP);
        let numbers = serde_json::to_string_pretty(&numbers).map_err(damaged(&path))?;
        fs::write(&path, numbers + "\n").map_err(io_error(&path))
    }

    /// What was passed over since the last window, without a loss, has drawn random numbers of the next one: it is passed
    /// over again.
    fn between_windows(&self) -> Position {
        let micro_batches = match self.gauge {
            Some(_) => self.began_after,
            None => self.position.micro_batches,
        };
        Position {
            micro_batches,
            ..self.position
        }
    }

    /// Fails where nothing can be saved, before anything is trained.
    pub(super) fn check_folder(&self) -> Result<(), SaveError> {
        match &self.saves.folder {
            Some(folder) => Places::in_folder(folder).begin().map(drop),
            None if self.saves.every.is_some() => Err(SaveError::NoFolder),
            None => Ok(()),
        }
    }

    pub(super) fn save_after_window(&self) -> Result<(), TrainError> {
        match self.saves.every {
            Some(every) if self.position.windows.is_multiple_of(every) => self.save_now(),
            _ => Ok(()),
        }
    }

    /// After an epoch, or before a stop.
    pub(super) fn save_now(&self) -> Result<(), TrainError> {
        match &self.saves.folder {
            Some(folder) => Ok(self.save(folder)?),
            None => Ok(()),
        }
    }
}
