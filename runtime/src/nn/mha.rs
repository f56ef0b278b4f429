//! What `recompute_attention` takes.

use crate::TensorTree;
use burn::nn::attention;
use burn::tensor::{Bool, Tensor};

/// The input of [`recompute_attention`](crate::recompute_attention): burn's
/// [`MhaInput`](burn::nn::attention::MhaInput), whose fields nobody else can read.
///
/// ```
/// use burn::tensor::{Bool, Device, Tensor};
/// use remat::nn::MhaInput;
///
/// let device = Device::flex();
/// let x = Tensor::<3>::ones([2, 4, 8], &device); // [batch, length, d_model]
/// let padding = Tensor::<2, Bool>::full([2, 4], false, &device); // [batch, length of the keys]
/// let future = Tensor::<3, Bool>::tril_mask([2, 4, 4], 0, &device); // [batch, queries, keys]
/// let input = MhaInput::self_attn(x).mask_pad(padding).mask_attn(future);
/// # let _ = input;
/// ```
#[derive(Clone, Debug, TensorTree)]
pub struct MhaInput {
    pub(crate) query: Tensor<3>,
    pub(crate) key: Tensor<3>,
    pub(crate) value: Tensor<3>,
    pub(crate) mask_pad: Option<Tensor<2, Bool>>,
    pub(crate) mask_attn: Option<Tensor<3, Bool>>,
}

impl MhaInput {
    /// Queries `[batch, queries, d_model]`, keys and values `[batch, keys, d_model]`, before their
    /// projections.
    #[must_use]
    pub fn new(query: Tensor<3>, key: Tensor<3>, value: Tensor<3>) -> Self {
        Self {
            query,
            key,
            value,
            mask_pad: None,
            mask_attn: None,
        }
    }

    /// One tensor `[batch, length, d_model]` as queries, keys and values.
    #[must_use]
    pub fn self_attn(tensor: Tensor<3>) -> Self {
        Self::new(tensor.clone(), tensor.clone(), tensor)
    }

    /// Keys `[batch, keys]` that nobody attends to, where true.
    #[must_use]
    pub fn mask_pad(mut self, mask_pad: Tensor<2, Bool>) -> Self {
        self.mask_pad = Some(mask_pad);
        self
    }

    /// Pairs `[batch, queries, keys]` of which the query does not attend to the key, where true.
    #[must_use]
    pub fn mask_attn(mut self, mask_attn: Tensor<3, Bool>) -> Self {
        self.mask_attn = Some(mask_attn);
        self
    }
}

impl From<MhaInput> for attention::MhaInput {
    fn from(input: MhaInput) -> Self {
        let mut theirs = Self::new(input.query, input.key, input.value);
        if let Some(mask) = input.mask_pad {
            theirs = theirs.mask_pad(mask);
        }
        if let Some(mask) = input.mask_attn {
            theirs = theirs.mask_attn(mask);
        }
        theirs
    }
}

/// burn's `MhaInput`, and no other type of that name: generated code asks for it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not burn's `MhaInput`, which the input of an annotated attention is made of",
    label = "not `burn::nn::attention::MhaInput`",
    note = "write the call with burn's `MhaInput`, or remove the annotation of the attention"
)]
pub trait IsMhaInput {
    /// The type itself.
    type Itself;
}

impl IsMhaInput for attention::MhaInput {
    type Itself = Self;
}
