//! Memory strategies, one folder each, and what they share.

mod checkpoint;
mod layer;
mod off;
mod segment;

pub use checkpoint::{Checkpoint, checkpoint, checkpoint_with};
pub use layer::Layer;
pub use off::without_strategies;
