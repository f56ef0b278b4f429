//! Resuming.

use super::dtypes::Dtypes;
use super::errors::{another_model, damaged, io_error, mismatch, record_error};
use super::places::Places;
use super::save::{LOOP, MODEL, Numbers, OPTIMIZER, SCHEDULE};
use super::tied::tied;
use super::{IN_A_STEP, Position, SaveError, TrainLoop};
use crate::amp::GradScalerState;
use burn::lr_scheduler::LrSchedulerRecord;
use burn::module::Module;
use burn::optim::OptimizerRecord;
use burn::store::ModuleRecord;
use burn::tensor::Bytes;
use std::fs;
use std::path::Path;

impl<M: Module> TrainLoop<M> {
    /// Goes on where the training in this folder was saved, with the options of this one, and a model, an optimizer, a
    /// schedule and a scaler of the same kind.
    ///
    /// Options may be others than when it was saved, and come before this or after it; but the scaler comes before.
    ///
    /// Parameters get the ids that were saved. So name [groups][ParamGroup] of parameters, in an optimizer or a schedule, by
    /// their paths: those that are named by the ids of a model that is made anew would be empty.
    ///
    /// # Errors
    ///
    /// If the folder is not there or is damaged, or one of those is of another kind.
    ///
    /// [ParamGroup]: burn::module::ParamGroup
    pub fn resume(self, folder: impl AsRef<Path>) -> Result<Self, SaveError> {
        let path = folder.as_ref();
        let folder = Places::in_folder(path).complete();
        if !folder.exists() {
            let path = path.to_owned();
            return Err(SaveError::NothingSaved { path });
        }
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

    /// [Goes on](Self::resume) if a training has been saved in this folder, and else begins: for programs that are started
    /// again with the same command.
    ///
    /// ```
    /// # use burn::{nn::{Linear, LinearConfig}, optim::AdamWConfig, tensor::{Device, Tensor}};
    /// # use remat::train::{MicroBatch, TrainLoop};
    /// # let device = Device::flex().autodiff();
    /// # let folder = std::env::temp_dir().join(format!("remat-doc-if-{}", std::process::id()));
    /// # let loader = |_| [Tensor::<2>::ones([1, 2], &device)];
    /// # let forward = |model: &Linear, x: Tensor<2>| MicroBatch::new(model.forward(x).mean(), 1);
    /// let mut program = || -> Result<_, Box<dyn std::error::Error>> {
    ///     let model = LinearConfig::new(2, 1).init(&device);
    ///     let mut training = TrainLoop::new(model, AdamWConfig::new().init(), 0.1)
    ///         .save_in(&folder)
    ///         .resume_if_saved(&folder)?;
    ///     let before = training.position().epoch;
    ///     training.run(before + 1, loader, forward)?;
    ///     Ok(before)
    /// };
    /// assert_eq!((program()?, program()?), (0, 1));
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`resume`](Self::resume).
    pub fn resume_if_saved(self, folder: impl AsRef<Path>) -> Result<Self, SaveError> {
        let folder = folder.as_ref();
        if Places::in_folder(folder).complete().exists() {
            self.resume(folder)
        } else {
            Ok(self)
        }
    }

    fn at(mut self, position: Position, seed: Option<u64>) -> Self {
        self.position = position;
        self.seed = seed.or(self.seed);
        self.observed = false;
        self.without_window()
    }

    fn resume_model(mut self, folder: &Path) -> Result<Self, SaveError> {
        let path = folder.join(MODEL);
        let model = self.model.take().expect(IN_A_STEP);
        // What a forward pass has left for the running statistics would be in those of the record.
        let _ = model.valid();
        let record = ModuleRecord::from_bytes(read(&path)?).map_err(record_error(path))?;
        let dtypes = Dtypes::of(&model);
        let model = model
            .try_load_record(record)
            .map_err(another_model(folder))?;
        // burn lets the record's replace those of the model.
        if Dtypes::of(&model) != dtypes {
            return Err(mismatch(
                folder,
                "its parameters are in another precision than these",
            ));
        }
        self.model = Some(tied(model));
        Ok(self)
    }

    /// burn leaves out what it cannot use, which would begin anew.
    fn resume_optimizer(mut self, folder: &Path) -> Result<Self, SaveError> {
        let path = folder.join(OPTIMIZER);
        let record = OptimizerRecord::from_bytes(read(&path)?).map_err(record_error(path))?;
        let saved = record.len();
        let optimizer = self.stepper.optimizer.load_record(record);
        if optimizer.to_record().len() != saved {
            return Err(mismatch(folder, "its optimizer is of another kind"));
        }
        self.stepper.optimizer = optimizer;
        Ok(self)
    }

    /// burn leaves out what it cannot use, which would begin anew.
    fn resume_schedule(mut self, folder: &Path) -> Result<Self, SaveError> {
        let path = folder.join(SCHEDULE);
        let record = LrSchedulerRecord::from_bytes(read(&path)?);
        let record = record.map_err(record_error(path.clone()))?;
        let schedule = self.stepper.schedule.load_record(record.clone());
        let bytes = |record: LrSchedulerRecord| record.into_bytes();
        let saved = bytes(record).map_err(record_error(path.clone()))?;
        let loaded = bytes(schedule.to_record()).map_err(record_error(path))?;
        if saved[..] != loaded[..] {
            return Err(mismatch(folder, "its schedule is of another kind"));
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
            (None, Some(_)) => {
                return Err(mismatch(folder, "it has a loss scaler: call `amp` first"));
            }
            (Some(_), None) => {
                return Err(mismatch(
                    folder,
                    "it has no loss scaler: call `amp` after `resume` to begin with one",
                ));
            }
        };
        Ok(self)
    }
}

/// A record that burn loads from a file is read from there when its tensors are needed, which on a device may be after the next
/// training has been saved under the same name.
fn read(path: &Path) -> Result<Bytes, SaveError> {
    let bytes = fs::read(path).map_err(io_error(path))?;
    Ok(Bytes::from_bytes_vec(bytes))
}
