//! A learning rate schedule that waits for steps.

use super::LearnerScaler;
use burn::lr_scheduler::module_lr_scheduler::ModuleLrScheduler;
use burn::lr_scheduler::{LrScheduler, LrSchedulerRecord};
use burn::optim::LearningRate;

/// A learning rate schedule for burn's learner that advances on steps that were taken: made by
/// [`LearnerScaler::schedule`].
///
/// burn asks for the rate before a step. The rate of a step that was then skipped is given again to the next one.
///
/// Of a schedule with groups of parameters it gives the base rate. Give each group one:
/// `ModuleLrScheduler::new(scaler.schedule(base)).with_group(group, scaler.schedule(other))`.
///
/// Its record has the numbers of the scaler.
///
/// ```
/// use burn::lr_scheduler::LrScheduler;
/// use remat::amp::{GradScaler, LearnerScaler};
///
/// let scaler = LearnerScaler::new(GradScaler::default());
/// let mut schedule = scaler.schedule(0.1);
/// assert_eq!(schedule.step(), 0.1);
/// assert_eq!(schedule.to_record().record("scaler").scalar("scale"), Some(65536.0));
/// ```
#[derive(Clone)]
pub struct ScaledSchedule {
    schedule: ModuleLrScheduler,
    scaler: LearnerScaler,
    /// The rate of the last step.
    last: Option<LearningRate>,
}

impl ScaledSchedule {
    pub(super) fn new(schedule: ModuleLrScheduler, scaler: LearnerScaler) -> Self {
        Self {
            schedule,
            scaler,
            last: None,
        }
    }

    /// The rate that is still to be used, if the last step was skipped.
    fn unused(&self) -> Option<LearningRate> {
        self.last.filter(|_| self.scaler.last_skipped())
    }
}

impl LrScheduler for ScaledSchedule {
    fn step(&mut self) -> LearningRate {
        let rate = match self.unused() {
            Some(rate) => rate,
            None => self.schedule.step().base(),
        };
        self.last = Some(rate);
        rate
    }

    fn to_record(&self) -> LrSchedulerRecord {
        let record = LrSchedulerRecord::new()
            .with_record(SCHEDULE, self.schedule.to_record())
            .with_record(SCALER, self.scaler.scaler().to_record());
        match self.unused() {
            Some(rate) => record.with_scalar(UNUSED, rate),
            None => record,
        }
    }

    fn load_record(&mut self, record: LrSchedulerRecord) {
        let schedule = self.schedule.clone();
        self.schedule = schedule.load_record(record.record(SCHEDULE));
        self.last = record.scalar(UNUSED);
        self.scaler
            .load(&record.record(SCALER), self.last.is_some());
    }
}

const SCHEDULE: &str = "schedule";
const SCALER: &str = "scaler";
const UNUSED: &str = "unused_rate";
