//! Options of a checkpoint.

use super::super::segment::Options;

/// Options of [`checkpoint_with`](crate::checkpoint_with).
///
/// `#[derive(Remat)]` writes one such constant for every annotated field.
///
/// ```
/// use remat::Checkpoint;
///
/// const ATTENTION: Checkpoint = Checkpoint::named("Block.attention").deterministic();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint(pub(super) Options);

impl Default for Checkpoint {
    fn default() -> Self {
        Self::new()
    }
}

impl Checkpoint {
    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        Self(Options::new("checkpoint", None))
    }

    /// The default options and a name for messages, such as `"Block.attention"`.
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        Self(Options::new("checkpoint", Some(name)))
    }

    /// Promises that the forward pass draws no random numbers from the device, nor do checkpoints
    /// inside it (these have to be deterministic as well).
    ///
    /// Saves setting the device's generator twice, and segments of several threads no longer wait
    /// for one another. A broken promise is a wrong gradient: the second run would see other masks.
    /// Debug builds (or `REMAT_CHECK=1`) detect it.
    #[must_use]
    pub const fn deterministic(self) -> Self {
        Self(self.0.deterministic())
    }
}
