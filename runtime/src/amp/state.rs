//! The numbers of a scaler, and how they move.

use super::{GradScalerConfig, InvalidScaler};
use burn::lr_scheduler::LrSchedulerRecord;
use burn::serde::{Deserialize, Serialize};

/// The numbers of a [`GradScaler`](super::GradScaler) between two iterations, to save them in a format of your own.
///
/// ```
/// use remat::amp::GradScaler;
///
/// let scaler = GradScaler::default();
/// let saved = serde_json::to_string(&scaler.state()).unwrap();
///
/// let state = serde_json::from_str(&saved).unwrap();
/// let scaler = GradScaler::default().load_state(state).unwrap();
/// assert_eq!(scaler.scale(), 65536.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(crate = "burn::serde")]
pub struct GradScalerState {
    /// The scale of the next iteration.
    pub scale: f32,
    /// The iterations without an overflow since the last growth or overflow.
    pub good_steps: usize,
    /// The overflow of this number will be the first to make the scale back off.
    pub hysteresis_left: usize,
    /// The iterations with an overflow so far.
    pub overflows: usize,
}

impl GradScalerState {
    pub(super) fn new(config: &GradScalerConfig) -> Self {
        Self {
            scale: config.init_scale,
            good_steps: 0,
            hysteresis_left: config.hysteresis,
            overflows: 0,
        }
    }

    /// The state after an iteration. The rules are those of Megatron and `DeepSpeed`.
    pub(super) fn after(mut self, found_overflow: bool, config: &GradScalerConfig) -> Self {
        if found_overflow {
            self.overflow(config);
        } else {
            self.success(config);
        }
        self
    }

    fn overflow(&mut self, config: &GradScalerConfig) {
        self.overflows = self.overflows.saturating_add(1);
        self.good_steps = 0;
        if self.hysteresis_left > 1 {
            self.hysteresis_left -= 1;
        } else {
            self.scale = (self.scale * config.backoff_factor).max(config.min_scale);
        }
    }

    fn success(&mut self, config: &GradScalerConfig) {
        self.good_steps = self.good_steps.saturating_add(1);
        let grows = self.good_steps >= config.growth_interval;
        if grows {
            self.good_steps = 0;
            let scale = self.scale * config.growth_factor;
            if scale.is_finite() {
                self.scale = scale;
            }
        }
        if grows || config.consecutive_hysteresis {
            self.hysteresis_left = config.hysteresis;
        }
    }

    /// The state as far as a scaler with such options can be in it.
    pub(super) fn checked(mut self, config: &GradScalerConfig) -> Result<Self, InvalidScaler> {
        if !self.scale.is_finite() || self.scale <= 0.0 {
            return Err(InvalidScaler {
                option: "scale",
                value: self.scale.to_string(),
                rule: "finite and positive",
            });
        }
        self.scale = self.scale.max(config.min_scale);
        self.hysteresis_left = self.hysteresis_left.clamp(1, config.hysteresis);
        Ok(self)
    }

    pub(super) fn to_record(self) -> LrSchedulerRecord {
        LrSchedulerRecord::new()
            .with_scalar(SCALE, self.scale)
            .with_scalar(GOOD_STEPS, self.good_steps)
            .with_scalar(HYSTERESIS_LEFT, self.hysteresis_left)
            .with_scalar(OVERFLOWS, self.overflows)
    }

    /// Whether the record has anything of a scaler.
    #[cfg(feature = "train")]
    pub(super) fn is_in(record: &LrSchedulerRecord) -> bool {
        let counts = [GOOD_STEPS, HYSTERESIS_LEFT, OVERFLOWS];
        let has_count = |key: &&str| record.scalar::<usize>(key).is_some();
        record.scalar::<f32>(SCALE).is_some() || counts.iter().any(has_count)
    }

    pub(super) fn from_record(record: &LrSchedulerRecord) -> Result<Self, InvalidScaler> {
        Ok(Self {
            scale: record.scalar(SCALE).ok_or_else(|| missing(SCALE))?,
            good_steps: count(record, GOOD_STEPS)?,
            hysteresis_left: count(record, HYSTERESIS_LEFT)?,
            overflows: count(record, OVERFLOWS)?,
        })
    }
}

const SCALE: &str = "scale";
const GOOD_STEPS: &str = "good_steps";
const HYSTERESIS_LEFT: &str = "hysteresis_left";
const OVERFLOWS: &str = "overflows";

fn count(record: &LrSchedulerRecord, key: &'static str) -> Result<usize, InvalidScaler> {
    record.scalar(key).ok_or_else(|| missing(key))
}

fn missing(key: &'static str) -> InvalidScaler {
    InvalidScaler {
        option: key,
        value: "missing in the record".to_owned(),
        rule: "there: was the record saved by a `GradScaler`?",
    }
}
