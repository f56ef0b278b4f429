//! In which precision a layer computes.

use super::super::compression::Quantize;
use crate::amp::Precision;

/// Options of [`autocast_with`](crate::autocast_with), and of strategies whose layer computes in another precision
/// ([`Checkpoint::autocast`](crate::Checkpoint::autocast)).
///
/// `#[derive(Remat)]` writes one such constant for every annotated field.
///
/// ```
/// use remat::Autocast;
/// use remat::amp::Precision;
///
/// const UP: Autocast = Autocast::new(Precision::BF16).named("Block.up");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Autocast {
    pub(super) precision: Precision,
    pub(super) name: Option<&'static str>,
    /// The precision of the outputs, if not that of the inputs.
    pub(super) output: Option<Precision>,
    /// How consumers of the cast inputs keep them, if not as they are.
    pub(super) compression: Option<Quantize>,
    /// Whether the softmax of an attention is computed in f32 all the same.
    pub(super) precise_softmax: bool,
}

impl Autocast {
    /// The layer computes in this precision.
    #[must_use]
    pub const fn new(precision: Precision) -> Self {
        Self {
            precision,
            name: None,
            output: None,
            compression: None,
            precise_softmax: false,
        }
    }

    /// A name for messages, such as `"Block.up"`.
    #[must_use]
    pub const fn named(self, name: &'static str) -> Self {
        Self {
            name: Some(name),
            ..self
        }
    }

    /// The precision in which float outputs are handed on, instead of the caller's: where the next layer wants that
    /// one, its input is not kept twice. What is added to them must be in it as well.
    ///
    /// ```
    /// use burn::nn::EmbeddingConfig;
    /// use burn::tensor::{DType, Device, Int, Tensor};
    /// use remat::{Autocast, amp::Precision};
    ///
    /// let device = Device::flex().autodiff();
    /// let embedding = EmbeddingConfig::new(10, 4).init(&device);
    /// let tokens = Tensor::<2, Int>::zeros([1, 3], &device);
    ///
    /// let options = Autocast::new(Precision::BF16).output(Precision::BF16);
    /// let stream = remat::autocast_with(options, &embedding, (tokens,), |embedding, (tokens,)| {
    ///     embedding.forward(tokens)
    /// });
    /// assert_eq!(stream.dtype(), DType::BF16);
    /// ```
    #[must_use]
    pub const fn output(self, precision: Precision) -> Self {
        Self {
            output: Some(precision),
            ..self
        }
    }

    /// Keeps what the layer keeps of its cast inputs in a few bits, as [`quantize`](crate::quantize()) does. Stacking
    /// `#[quantize(bits = 8)]` on `#[autocast(bf16)]` writes this.
    ///
    /// ```
    /// use remat::{Autocast, Quantize, amp::Precision};
    ///
    /// const UP: Autocast = Autocast::new(Precision::BF16).named("Block.up").quantize(Quantize::bits(8));
    /// ```
    #[must_use]
    pub const fn quantize(self, inputs: Quantize) -> Self {
        Self {
            compression: Some(inputs.named_like(self.name)),
            ..self
        }
    }

    /// For who takes the attention apart.
    pub(in super::super) const fn with_precise_softmax(self) -> Self {
        Self {
            precise_softmax: true,
            ..self
        }
    }

    /// The same, with this name unless it has one.
    pub(in super::super) const fn named_like(self, name: Option<&'static str>) -> Self {
        match self.name {
            Some(_) => self,
            None => Self { name, ..self },
        }
    }

    /// Where a layer runs again, what it keeps is said there.
    pub(crate) const fn assert_not_compressed(self) {
        assert!(
            self.compression.is_none(),
            "remat: how a layer that runs again keeps its inputs is an option of its own, `.quantize(..)`, and not \
             one of its `.autocast(..)`"
        );
    }

    pub(in super::super) const fn name(self) -> Option<&'static str> {
        self.name
    }

    pub(in super::super) const fn precision(self) -> Precision {
        self.precision
    }
}
