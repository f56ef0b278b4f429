//! Memory strategies, one folder each, and what they share.

pub(crate) mod attention;
mod autocast;
mod casting;
mod checkpoint;
mod compression;
mod frozen_stats;
pub mod inplace;
mod layer;
mod off;
mod quantize;
mod recompute;
mod segment;
mod tail;

pub use attention::{
    RecomputeAttention, autocast_attention, autocast_attention_with, recompute_attention,
    recompute_attention_with,
};
pub use autocast::{autocast, autocast_with};
pub use casting::{Autocast, CastScope, assert_one_dtype, widened};
pub use checkpoint::{
    Checkpoint, CheckpointSequence, Segments, TooManySegments, checkpoint, checkpoint_early_stop,
    checkpoint_sequence, checkpoint_sequence_early_stop, checkpoint_sequence_with, checkpoint_with,
};
pub use compression::Quantize;
pub(crate) use frozen_stats::with_frozen_stats;
pub use frozen_stats::{FrozenStats, frozen_stats, frozen_stats_with};
pub use inplace::call::{inplace, inplace_with};
pub use layer::Layer;
pub(crate) use off::strategies_are_off;
pub use off::without_strategies;
pub use quantize::{Comparison, FieldError, ParameterError, compare, quantize};
pub use recompute::{Recompute, recompute, recompute_with};
pub use tail::{
    HasTail, IgnoresValue, NotComputed, Passes, Returned, TailLayer, pass, returned, tail,
};
