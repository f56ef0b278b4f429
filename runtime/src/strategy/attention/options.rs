//! Options of a recomputed attention.

use super::super::casting::Autocast;
use super::super::compression::Quantize;
use super::super::segment::Options;

/// Options of [`recompute_attention_with`](crate::recompute_attention_with).
///
/// ```
/// use remat::RecomputeAttention;
///
/// const ATTENTION: RecomputeAttention = RecomputeAttention::named("Block.attention");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RecomputeAttention(pub(super) Options);

impl Default for RecomputeAttention {
    fn default() -> Self {
        Self::new()
    }
}

impl RecomputeAttention {
    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        Self(Options::new("recompute_attention", None))
    }

    /// The default options and a name for messages, such as `"Block.attention"`.
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        Self(Options::new("recompute_attention", Some(name)))
    }

    /// Keeps the inputs of the projections, the projected queries, keys and values, and the weighted sum compressed.
    /// Stacking `#[quantize(bits = 8)]` on `#[recompute(attention)]` writes this.
    ///
    /// ```
    /// use remat::{Quantize, RecomputeAttention};
    ///
    /// const ATTENTION: RecomputeAttention =
    ///     RecomputeAttention::named("Block.attention").quantize(Quantize::bits(8));
    /// ```
    ///
    /// # Panics
    ///
    /// If only signs are to be kept (1 bit): when compiling, in a constant.
    #[must_use]
    pub const fn quantize(self, kept: Quantize) -> Self {
        kept.assert_values();
        Self(self.0.quantize(kept))
    }

    /// Products in another precision, as by [`autocast_attention`](crate::autocast_attention): queries, keys and values
    /// are kept in it. Stacking `#[autocast(bf16)]` on `#[recompute(attention)]` writes this.
    ///
    /// ```
    /// use remat::{Autocast, RecomputeAttention, amp::Precision};
    ///
    /// const ATTENTION: RecomputeAttention =
    ///     RecomputeAttention::named("Block.attention").autocast(Autocast::new(Precision::BF16));
    /// ```
    ///
    /// # Panics
    ///
    /// If the options of the autocast compress inputs: when compiling, in a constant.
    #[must_use]
    pub const fn autocast(self, casting: Autocast) -> Self {
        Self(self.0.autocast(casting))
    }
}
