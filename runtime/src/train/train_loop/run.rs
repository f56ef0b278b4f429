//! Epochs.

use super::{IntoMicroBatch, Position, TrainError, TrainLoop};
use crate::train::observe::{Epoch, Observer, ObserverError};
use burn::module::Module;

/// How a training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Where it is.
    pub position: Position,
    /// Whether it was [asked to stop](TrainLoop::stop_on) before its last epoch was over.
    pub stopped: bool,
}

impl<M: Module> TrainLoop<M> {
    /// Trains to the end of so many epochs, counted from the beginning of the training: what has been trained before it
    /// was saved counts.
    ///
    /// `loader` gives the micro-batches of an epoch (the first is 0): the same ones for the same epoch, or training does not
    /// go on to the bit in the middle of one. `forward` is that of [`micro_batch`](Self::micro_batch).
    ///
    /// With burn's `DataLoader` (burn's feature `dataset`), make one for each epoch before, since its iterator borrows it, and
    /// let its seed depend on the epoch. Its batches are `Result`s, whose error `forward` may hand on:
    ///
    /// ```
    /// use burn::data::dataloader::{DataLoaderBuilder, batcher::Batcher};
    /// use burn::data::dataset::{DatasetError, InMemDataset};
    /// # use burn::{nn::LinearConfig, optim::SgdConfig, tensor::{Device, Tensor}};
    /// # use remat::train::{MicroBatch, TrainLoop};
    /// use std::sync::Arc;
    ///
    /// #[derive(Clone)]
    /// struct Rows;
    ///
    /// impl Batcher<[f32; 2], Tensor<2>> for Rows {
    ///     fn batch(&self, items: Vec<[f32; 2]>, device: &Device) -> Tensor<2> {
    ///         let rows = items.into_iter().map(|item| Tensor::<1>::from_floats(item, device));
    ///         Tensor::stack(rows.collect(), 0)
    ///     }
    /// }
    ///
    /// # let device = Device::flex().autodiff();
    /// # let model = LinearConfig::new(2, 1).init(&device);
    /// # let mut training = TrainLoop::new(model, SgdConfig::new().init(), 0.1);
    /// let data = Arc::new(InMemDataset::new(vec![[1.0, 2.0]; 10]));
    /// let loaders: Vec<_> = (0..2)
    ///     .map(|epoch| {
    ///         let loader = DataLoaderBuilder::new(Rows).set_device(device.clone());
    ///         loader.batch_size(4).shuffle(7 + epoch).build(data.clone())
    ///     })
    ///     .collect();
    /// training.run(2, |epoch| loaders[epoch].iter(), |model, batch| {
    ///     let batch = batch?;
    ///     let samples = batch.dims()[0];
    ///     Ok::<_, DatasetError>(MicroBatch::new(model.forward(batch).mean(), samples))
    /// })?;
    /// assert_eq!(training.position().windows, 6); // of 4, 4 and 2 samples
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If an epoch has no micro-batches, or fewer than it had when the training was saved; and those of
    /// [`micro_batch`](Self::micro_batch).
    pub fn run<L: IntoIterator, B: IntoMicroBatch>(
        &mut self,
        epochs: usize,
        mut loader: impl FnMut(usize) -> L,
        mut forward: impl FnMut(&M, L::Item) -> B,
    ) -> Result<Summary, TrainError> {
        self.tell_that_it_begins()?;
        while self.position.epoch < epochs && !self.stop.is_requested() {
            let epoch = self.position.epoch;
            self.epoch(epochs, loader(epoch).into_iter(), &mut forward)?;
        }
        self.end(self.position.epoch < epochs)
    }

    /// The epoch that training is in, from where it is.
    fn epoch<I: Iterator, B: IntoMicroBatch>(
        &mut self,
        epochs: usize,
        mut items: I,
        forward: &mut impl FnMut(&M, I::Item) -> B,
    ) -> Result<(), TrainError> {
        let epoch = self.position.epoch;
        let announced = Epoch::new(
            self.position,
            epochs,
            items.size_hint(),
            self.accumulator.size(),
        );
        self.tell(|observer| observer.epoch(&announced))?;
        self.pass_over(&mut items)?;
        loop {
            // What the loader draws belongs to the window.
            self.begin_window()?;
            let Some(item) = items.next() else {
                break;
            };
            self.micro_batch(|model| forward(model, item))?;
            if self.accumulator.pending() == 0 && self.stop.is_requested() {
                return self.save_now();
            }
        }
        if self.position.micro_batches == 0 {
            return Err(TrainError::EmptyLoader { epoch });
        }
        self.end_epoch().map(drop)
    }

    /// What was trained on before the training was saved.
    fn pass_over(&self, items: &mut impl Iterator) -> Result<(), TrainError> {
        let Position {
            epoch,
            micro_batches: expected,
            ..
        } = self.position;
        match items.take(expected).count() {
            found if found == expected => Ok(()),
            found => Err(TrainError::ShorterLoader {
                epoch,
                expected,
                found,
            }),
        }
    }

    /// Tells the observers that training is over, which [`run`](Self::run) does itself.
    ///
    /// # Errors
    ///
    /// If an observer fails.
    pub fn end(&mut self, stopped: bool) -> Result<Summary, TrainError> {
        self.tell_that_it_begins()?;
        let summary = Summary {
            position: self.position,
            stopped,
        };
        self.tell(|observer| observer.end(&summary))?;
        self.observed = false;
        Ok(summary)
    }

    pub(super) fn tell_that_it_begins(&mut self) -> Result<(), TrainError> {
        if self.observed {
            return Ok(());
        }
        self.check_folder()?;
        let position = self.position;
        self.tell(|observer| observer.begin(&position))?;
        self.observed = true;
        Ok(())
    }

    pub(super) fn tell(
        &mut self,
        what: impl Fn(&mut dyn Observer) -> Result<(), ObserverError>,
    ) -> Result<(), TrainError> {
        let mut observers = self.observers.iter_mut();
        let told = observers.try_for_each(|observer| what(observer.as_mut()));
        told.map_err(TrainError::Observer)
    }
}
