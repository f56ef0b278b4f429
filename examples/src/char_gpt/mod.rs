//! A character-level language model, trained without and with its annotation.

mod compare;
mod generate;
mod model;
mod settings;
mod text;
mod train;

pub use compare::{equal_losses, overview};
pub use generate::generate;
pub use model::{Block, Gpt};
pub use settings::Settings;
pub(crate) use text::numbers;
pub use text::{Batches, Text, TextError};
pub use train::{Progress, Trained, train};
