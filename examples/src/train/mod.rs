//! A language model, trained with accumulation, checkpoints and 16 bits, together and each by itself.

mod compare;
mod recipe;
mod settings;
mod training;

pub use compare::{Row, compare, overview};
pub use recipe::Recipe;
pub use settings::Settings;
pub use training::{Gpts, loader, micro_batch, training};
