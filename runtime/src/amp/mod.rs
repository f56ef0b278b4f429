//! Mixed precision: training in 16 bits where that is enough, with a model in f32.

mod place;
mod precision;
mod running;

pub use crate::strategy::widened;
pub(crate) use place::Place;
pub use precision::{Precision, RunningStatistics};
pub(crate) use running::running_state;
