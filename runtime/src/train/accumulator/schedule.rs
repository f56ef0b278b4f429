//! How many micro-batches a window has, by epoch.

use thiserror::Error;

/// How many micro-batches a window has in each epoch (the first is 0).
///
/// ```
/// use remat::train::accumulator::Schedule;
///
/// let schedule = Schedule::constant(2)?.from_epoch(3, 4)?.from_epoch(5, 8)?;
/// assert_eq!([0, 2, 3, 4, 5, 100].map(|epoch| schedule.at(epoch)), [2, 2, 4, 4, 8, 8]);
/// assert!(Schedule::constant(0).is_err());
/// # Ok::<(), remat::train::accumulator::NoMicroBatches>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    first: usize,
    /// From which epoch on, and how many; in the order of the epochs.
    changes: Vec<(usize, usize)>,
}

/// Windows of one micro-batch.
impl Default for Schedule {
    fn default() -> Self {
        Self {
            first: 1,
            changes: Vec::new(),
        }
    }
}

/// A window of no micro-batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a window has to have at least one micro-batch")]
pub struct NoMicroBatches;

impl Schedule {
    /// The same number in every epoch.
    ///
    /// # Errors
    ///
    /// If that is 0.
    pub fn constant(micro_batches: usize) -> Result<Self, NoMicroBatches> {
        Ok(Self {
            first: at_least_one(micro_batches)?,
            changes: Vec::new(),
        })
    }

    /// Another number from this epoch on.
    ///
    /// # Errors
    ///
    /// If that is 0.
    pub fn from_epoch(
        mut self,
        epoch: usize,
        micro_batches: usize,
    ) -> Result<Self, NoMicroBatches> {
        let change = (epoch, at_least_one(micro_batches)?);
        let place = self.changes.partition_point(|(from, _)| *from <= epoch);
        self.changes.insert(place, change);
        Ok(self)
    }

    /// The number in this epoch.
    #[must_use]
    pub fn at(&self, epoch: usize) -> usize {
        let begun = self.changes.partition_point(|(from, _)| *from <= epoch);
        let last = begun.checked_sub(1).and_then(|last| self.changes.get(last));
        last.map_or(self.first, |(_, micro_batches)| *micro_batches)
    }
}

fn at_least_one(micro_batches: usize) -> Result<usize, NoMicroBatches> {
    (micro_batches > 0)
        .then_some(micro_batches)
        .ok_or(NoMicroBatches)
}
