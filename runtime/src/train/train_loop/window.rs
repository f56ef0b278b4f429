//! Micro-batches, and the ends of windows and epochs.

use super::gauge::{self, Gauge};
use super::{IN_A_STEP, LastWindow, MicroBatch, TrainError, TrainLoop, Update};
use crate::random::{drawn_seed, nth_seed};
use crate::train::accumulator::Window;
use crate::train::batch_norm::BatchNorms;
use burn::module::Module;
use burn::tensor::Device;

impl<M: Module> TrainLoop<M> {
    /// Runs a forward pass and its backward pass. Gives what became of the window if this was its last micro-batch.
    ///
    /// `forward` may give `None` for a micro-batch that has nothing to learn from, such as one of padding only. It is
    /// counted in the [position](Self::position) and nowhere else.
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
    /// If the micro-batch cannot be added (a weight of zero, a loss in 16 bits or without a graph), the model cannot be
    /// trained with the scaler, a batch normalisation was not named, an observer fails, or the loop cannot save. Nothing
    /// of the micro-batch is in the window then.
    pub fn micro_batch<B: Into<Option<MicroBatch>>>(
        &mut self,
        forward: impl FnOnce(&M) -> B,
    ) -> Result<Option<Update>, TrainError> {
        self.begin_window()?;
        let model = self.model.as_ref().expect(IN_A_STEP);
        let (norms, accumulator) = (&mut self.norms, &mut self.accumulator);
        let gauge = self.gauge.get_or_insert_with(Gauge::start);
        let window = gauge.measure(model.devices().first(), || {
            let Some(batch) = forwarded(norms, model, forward)? else {
                return Ok(None);
            };
            let added = accumulator.add(batch.loss, batch.weight, model);
            added.map_err(TrainError::from)
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
        let began = self.accumulator.begin_epoch(self.position.epoch);
        began.expect("the window has ended");
        self.save_after_epoch()?;
        Ok(update)
    }

    /// Seeds and scales the window that begins, if one does.
    pub(super) fn begin_window(&mut self) -> Result<(), TrainError> {
        self.tell_that_it_begins()?;
        if self.gauge.is_some() {
            return Ok(());
        }
        let model = self.model.as_ref().expect(IN_A_STEP);
        self.stepper.check(model)?;
        self.accumulator
            .set_scale(self.stepper.scale().unwrap_or(1.0));
        let devices = model.devices();
        if let Some(first) = devices.first() {
            let seed = *self.seed.get_or_insert_with(|| drawn_seed(first));
            let seed = nth_seed(seed, self.position.windows);
            devices.iter().for_each(|device| device.seed(seed));
        }
        self.gauge = Some(Gauge::start());
        Ok(())
    }

    fn end_window(&mut self, window: Window) -> Result<Update, TrainError> {
        let model = self.model.take().expect(IN_A_STEP);
        let device: Option<Device> = model.devices().first().cloned();
        let mut gauge = self.gauge.take().unwrap_or_else(Gauge::start);
        let scale = self.stepper.scale();
        let (loss, weight) = (window.loss(), window.weight());
        let (micro_batches, left_out) = (window.micro_batches(), window.left_out());

        let (model, outcome) = gauge.measure(device.as_ref(), || self.stepper.step(model, window));
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

fn forwarded<M: Module, B: Into<Option<MicroBatch>>>(
    norms: &mut BatchNorms<M>,
    model: &M,
    forward: impl FnOnce(&M) -> B,
) -> Result<Option<MicroBatch>, TrainError> {
    let batch = norms.forward_counted(
        model,
        |model| forward(model).into(),
        |batch: &Option<MicroBatch>| batch.as_ref().map_or(0.into(), MicroBatch::rows),
    );
    Ok(batch?)
}
