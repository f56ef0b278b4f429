//! Micro-batches, and the ends of windows and epochs.

use super::gauge::{self, Gauge};
use super::{IN_A_STEP, IntoMicroBatch, LastWindow, MicroBatch, TrainError, TrainLoop, Update};
use crate::amp;
use crate::random::{self, drawn_seed, nth_seed};
use crate::train::accumulator::{Accumulator, Checked, Window};
use burn::module::Module;
use burn::tensor::Device;

impl<M: Module> TrainLoop<M> {
    /// Runs a forward pass and its backward pass. Gives what became of the window if this was its last micro-batch.
    ///
    /// `forward` may give `None` for a micro-batch that has nothing to learn from, such as one of padding only. It is
    /// counted in the [position](Self::position) and nowhere else. Give it before any layer runs whose running statistics are
    /// [as is](crate::train::BatchNorms::as_is): those have moved.
    ///
    /// ```
    /// # use burn::{nn::LinearConfig, optim::SgdConfig, tensor::{Device, Tensor}};
    /// # use remat::train::{MicroBatch, TrainLoop};
    /// # let device = Device::flex().autodiff();
    /// # let model = LinearConfig::new(2, 1).init(&device);
    /// # let mut training = TrainLoop::new(model, SgdConfig::new().init(), 0.1).accumulate(2)?;
    /// for samples in [3, 0, 5, 2] {
    ///     let update = training.micro_batch(|model| {
    ///         let x = Tensor::<2>::ones([samples, 2], &device);
    ///         (samples > 0).then(|| MicroBatch::new(model.forward(x).mean(), samples))
    ///     })?;
    ///     if let Some(update) = update {
    ///         println!("loss {}: {:?}", update.loss, update.outcome); // after 3 and 5
    ///     }
    /// }
    /// let last = training.end_epoch()?; // 2 alone
    /// assert_eq!(last.unwrap().weight, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `forward` fails, the micro-batch cannot be added (a weight of zero, a loss in 16 bits or without a graph), a parameter is in
    /// 16 bits, a batch normalisation was not named, an observer fails, or the loop cannot save. Nothing of the micro-batch
    /// is in the window then.
    ///
    /// # Panics
    ///
    /// If a step of the optimizer has panicked: the model was in it.
    pub fn micro_batch<B: IntoMicroBatch>(
        &mut self,
        forward: impl FnOnce(&M) -> B,
    ) -> Result<Option<Update>, TrainError> {
        self.begin_window()?;
        let model = self.model.as_ref().expect(IN_A_STEP);
        let (norms, accumulator) = (&mut self.norms, &mut self.accumulator);
        let gauge = self.gauge.get_or_insert_with(Gauge::start);
        let window =
            gauge.measure(model.devices().first(), || {
                let forward = |model: &M| checked(accumulator, model, forward(model));
                let checked = norms.forward_counted(model, forward, rows)??;
                Ok::<_, TrainError>(checked.and_then(|(batch, checked)| {
                    accumulator.add_checked(batch.loss, checked, model)
                }))
            })?;
        self.position.micro_batches += 1;
        window.map(|window| self.end_window(window)).transpose()
    }

    /// Ends the window that is open, if there is one, as [`last_window`](Self::last_window) says, and the epoch.
    ///
    /// # Errors
    ///
    /// If an observer fails, or the loop cannot save.
    pub fn end_epoch(&mut self) -> Result<Option<Update>, TrainError> {
        let window = match self.last_window {
            LastWindow::Step => self.accumulator.finish(),
            LastWindow::Drop => {
                self.accumulator.drop_window();
                self.norms.drop_window();
                None
            }
        };
        let update = window.map(|window| self.end_window(window)).transpose()?;
        self.gauge = None;
        self.position.next_epoch();
        self.accumulator.begin_epoch_anew(self.position.epoch);
        self.save_now()?;
        Ok(update)
    }

    /// As between two windows, in the epoch that training is in.
    pub(super) fn without_window(mut self) -> Self {
        self.accumulator.begin_epoch_anew(self.position.epoch);
        self.norms.drop_window();
        self.gauge = None;
        self
    }

    /// Seeds and scales the window that begins, if one does.
    pub(super) fn begin_window(&mut self) -> Result<(), TrainError> {
        self.tell_that_it_begins()?;
        if self.accumulator.pending() == 0 {
            // A backward pass that panicked has taken its window with it.
            self.norms.drop_window();
        }
        if self.gauge.is_some() {
            return Ok(());
        }
        let model = self.model.as_ref().expect(IN_A_STEP);
        amp::master_parameters(model)?;
        self.accumulator
            .set_scale(self.stepper.scale().unwrap_or(1.0));
        let devices = model.devices();
        if let Some(first) = devices.first() {
            let seed = *self.seed.get_or_insert_with(|| drawn_seed(first));
            let seed = nth_seed(seed, self.position.windows);
            for device in &devices {
                random::seed(device, seed);
            }
        }
        self.began_after = self.position.micro_batches;
        self.gauge = Some(Gauge::start());
        Ok(())
    }

    fn end_window(&mut self, window: Window) -> Result<Update, TrainError> {
        let model = self.model.take().expect(IN_A_STEP);
        let device: Option<Device> = model.devices().first().cloned();
        let mut gauge = self.gauge.take().unwrap_or_else(Gauge::start);
        let scale = self.stepper.scale();
        let (micro_batches, left_out) = (window.micro_batches(), window.left_out());
        let weight = window.weight();

        let (model, loss, outcome) =
            gauge.measure(device.as_ref(), || self.stepper.step(model, window));
        if outcome.is_taken() {
            self.norms.end_window(&model);
        } else {
            self.norms.drop_window();
        }
        self.model = Some(model);
        self.position.next_window(outcome.is_taken());

        let update = Update {
            position: self.position,
            loss,
            micro_batches,
            left_out,
            weight,
            outcome,
            scale,
            time: gauge.time(),
            live_bytes: gauge::live(device.as_ref()),
            peak_bytes: gauge.peak(),
        };
        self.tell(|observer| observer.update(&update))?;
        self.save_after_window()?;
        Ok(update)
    }
}

/// A micro-batch that has something to learn from.
type Accepted = Option<(MicroBatch, Checked)>;

/// Whether it can be added. What cannot is not seen by the batch normalisations either.
fn checked<M: Module>(
    accumulator: &Accumulator,
    model: &M,
    forwarded: impl IntoMicroBatch,
) -> Result<Accepted, TrainError> {
    let check = |batch: MicroBatch| {
        batch.rows().checked()?;
        let checked = accumulator.check(&batch.loss, batch.weight, model)?;
        Ok((batch, checked))
    };
    let batch = forwarded.into_micro_batch().map_err(TrainError::Forward)?;
    batch.map(check).transpose()
}

/// The rows of the window that a batch normalisation saw.
fn rows(accepted: &Result<Accepted, TrainError>) -> f64 {
    match accepted {
        Ok(Some((batch, checked))) if checked.counts => batch.rows().value(),
        _ => 0.0,
    }
}
