//! An image classifier, trained by burn's learner without and with its annotation.

mod batch;
mod compare;
mod data;
mod memory;
mod model;
mod observer;
mod quantized;
mod settings;
mod train;

pub use batch::{Batch, DigitBatcher};
pub use compare::{differences, overview};
pub use data::{DataError, Digit, Digits};
pub use memory::{StepMemory, step_memory};
pub use model::{Cnn, ConvBlock};
pub use observer::{History, Observer};
pub use quantized::QuantizedCnn;
pub use settings::Settings;
pub use train::{Trained, train};
