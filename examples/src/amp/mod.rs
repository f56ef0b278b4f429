//! Two models, trained in f32, in bf16, and in f16 with a scaled loss.

mod cnn;
mod overview;
mod settings;
mod task;
mod train;

pub use cnn::Cnn;
pub use overview::{Row, overview};
pub use settings::{Recipe, Settings, Task};
pub use task::{Data, run};
pub use train::{Progress, Trained, train};
