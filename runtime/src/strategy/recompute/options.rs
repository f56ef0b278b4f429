//! Options of a recomputation.

use super::super::casting::Autocast;
use super::super::compression::Quantize;
use super::super::segment::Options;

/// Options of [`recompute_with`](crate::recompute_with).
///
/// `#[derive(Remat)]` writes one such constant for every annotated field.
///
/// ```
/// use remat::Recompute;
///
/// const NORM: Recompute = Recompute::named("Block.norm").deterministic();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Recompute(pub(super) Options);

impl Default for Recompute {
    fn default() -> Self {
        Self::new()
    }
}

impl Recompute {
    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        Self(Options::new("recompute", None))
    }

    /// The default options and a name for messages, such as `"Block.norm"`.
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        Self(Options::new("recompute", Some(name)))
    }

    /// Promises that the forward pass draws no random numbers from the device, as
    /// [`Checkpoint::deterministic`](crate::Checkpoint::deterministic) does.
    #[must_use]
    pub const fn deterministic(self) -> Self {
        Self(self.0.deterministic())
    }

    /// Keeps the input compressed: the output is computed again from what it is then, for the layer's own gradient and
    /// for its consumers'. Stacking `#[quantize(bits = 8)]` on `#[recompute(cheap)]` writes this.
    ///
    /// ```
    /// use remat::{Quantize, Recompute};
    ///
    /// const GELU: Recompute = Recompute::named("Block.gelu").quantize(Quantize::bits(8));
    /// ```
    ///
    /// # Panics
    ///
    /// If only signs are to be kept (1 bit): when compiling, in a constant.
    #[must_use]
    pub const fn quantize(self, inputs: Quantize) -> Self {
        inputs.assert_values();
        Self(self.0.quantize(inputs))
    }

    /// The layer computes in another precision, as by [`autocast`](crate::autocast()). Its input is kept in the lower one
    /// of this and the caller's. Stacking `#[autocast(bf16)]` on `#[recompute(cheap)]` writes this.
    ///
    /// ```
    /// use remat::{Autocast, Recompute, amp::Precision};
    ///
    /// const GELU: Recompute = Recompute::named("Block.gelu").autocast(Autocast::new(Precision::BF16));
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
