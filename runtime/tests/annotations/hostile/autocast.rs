//! Precisions under every lint, without a prelude, beside names of the user's.
#![deny(
    warnings,
    unused,
    missing_docs,
    unused_qualifications,
    unused_results,
    unused_import_braces,
    unreachable_pub,
    trivial_casts,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
#![forbid(unsafe_code, unused_imports)]

use crate::support::{device, numbers};
use burn::nn::attention::{MhaInput, MultiHeadAttentionConfig};
use burn::nn::{Gelu, LayerNormConfig, LinearConfig};

/// No name but those of the language and of its own.
mod bare {
    #![no_implicit_prelude]

    use super::MhaInput;
    use ::burn::nn::attention::MultiHeadAttention;
    use ::burn::nn::{Gelu, LayerNorm, Linear};
    use ::burn::tensor::Tensor;
    use ::remat::Remat;
    use ::std::option::Option::{self, Some};

    /// Shadows what generated code names.
    #[allow(dead_code, reason = "is only in the way")]
    mod amp {
        pub(super) struct Precision;
        pub(super) struct CastScope;
    }

    /// The same.
    #[allow(dead_code, reason = "is only in the way")]
    struct CastScope;

    /// The same.
    #[allow(dead_code, reason = "is only in the way")]
    struct Autocast;

    /// A block.
    #[derive(Remat)]
    #[autocast(bf16)]
    pub(super) struct Block {
        /// An island.
        pub(super) norm: LayerNorm,
        /// A layer that is taken apart.
        pub(super) attention: MultiHeadAttention,
        /// A layer.
        pub(super) up: Option<Linear>,
        /// A layer that runs again.
        #[recompute(cheap)]
        pub(super) gelu: Gelu,
        /// Another precision.
        #[autocast(f16, output = f32)]
        pub(super) down: Linear,
    }

    #[::remat::forward]
    impl Block {
        /// Runs the layers, one of them again and again.
        #[must_use]
        pub(super) fn forward(&self, bf16: Tensor<3>) -> Tensor<3> {
            /// How often.
            const TIMES: usize = 2;
            let x = self
                .attention
                .forward(MhaInput::self_attn(self.norm.forward(bf16)))
                .context;
            let x = match &self.up {
                Some(up) => up.forward(x),
                Option::None => x,
            };
            let mut x = self.gelu.forward(x);
            for _ in 0..TIMES {
                x = self.down.forward(x);
            }
            x
        }
    }
}

#[test]
fn precisions() {
    let linear = || LinearConfig::new(4, 4).init(&device());
    let block = bare::Block {
        norm: LayerNormConfig::new(4).init(&device()),
        attention: MultiHeadAttentionConfig::new(4, 2)
            .with_dropout(0.0)
            .init(&device()),
        up: Some(linear()),
        gelu: Gelu::new(),
        down: linear(),
    };
    let y = block.forward(numbers([2, 3, 4], &device()));
    assert_eq!(y.dtype(), burn::tensor::DType::F32);
    let grads = y.sum().backward();
    assert!(block.norm.gamma.val().grad(&grads).is_some());
}
