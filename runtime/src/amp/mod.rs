//! Mixed precision: training in 16 bits where that is enough, with a model in f32.

mod config;
mod errors;
#[cfg(feature = "train")]
mod learner;
mod overflow;
mod place;
mod precision;
mod precision_check;
mod running;
mod scaled;
mod scaler;
mod state;
mod step;
mod unscale;

pub use crate::strategy::{CastScope, assert_one_dtype, widened};
pub use config::GradScalerConfig;
pub use errors::{InvalidScaler, Refused};
#[cfg(feature = "train")]
pub use learner::{LearnerScaler, Scaled, ScaledSchedule, TrainLoss};
pub use overflow::{NonFinite, Overflow};
pub(crate) use place::Place;
pub use precision::{Precision, RunningStatistics};
pub(crate) use precision_check::{is_low, master_parameters};
pub(crate) use running::running_state;
pub use scaled::ScaledGradients;
pub(crate) use scaled::widened as widened_gradient;
pub use scaler::GradScaler;
pub use state::GradScalerState;
pub use step::Step;
pub(crate) use unscale::Unscaled;
use unscale::unscale;
