//! Options of a checkpoint.

use super::super::casting::Autocast;
use super::super::compression::Quantize;
use super::super::segment::Options;
use super::super::tail::HasTail;

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

    /// States that the layers in `L` have a [tail](crate::HasTail), which their second run can leave out. It changes
    /// nothing; where they have none, it does not compile.
    ///
    /// `#[checkpoint(early_stop)]` on a field writes it, with the field's type.
    ///
    /// ```
    /// use burn::module::Module;
    /// use burn::nn::Linear;
    /// use remat::{Checkpoint, Remat};
    ///
    /// #[derive(Module, Debug, Remat)]
    /// struct Block {
    ///     #[remat(tail)]
    ///     down: Linear,
    /// }
    /// # #[remat::forward]
    /// # impl Block {
    /// #     pub fn forward(&self, x: burn::tensor::Tensor<2>) -> burn::tensor::Tensor<2> {
    /// #         self.down.forward(x)
    /// #     }
    /// # }
    ///
    /// const BLOCKS: Checkpoint = Checkpoint::named("Stack.blocks").stops_early::<Vec<Block>>();
    /// ```
    #[must_use]
    pub const fn stops_early<L: HasTail + ?Sized>(self) -> Self {
        self
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

    /// Keeps the inputs of the segment compressed: it runs again from what they are then, so gradients are those of
    /// slightly other inputs. Stacking `#[quantize(bits = 8)]` on `#[checkpoint]` writes this.
    ///
    /// Debug builds do not compare the values of the second run.
    ///
    /// ```
    /// use remat::{Checkpoint, Quantize};
    ///
    /// const BLOCKS: Checkpoint = Checkpoint::named("Gpt.blocks").quantize(Quantize::bits(8));
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

    /// The layer computes in another precision, as by [`autocast`](crate::autocast()), and does so again in the backward
    /// pass. The inputs are kept as the caller has them. Stacking `#[autocast(bf16)]` on `#[checkpoint]` writes this.
    ///
    /// ```
    /// use remat::{Autocast, Checkpoint, amp::Precision};
    ///
    /// const ATTENTION: Checkpoint =
    ///     Checkpoint::named("Block.attention").autocast(Autocast::new(Precision::BF16));
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
