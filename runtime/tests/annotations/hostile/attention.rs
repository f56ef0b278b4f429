//! Attention and frozen statistics under every lint, without a prelude, beside names of the user's.
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

use crate::support::{device, error, loss, numbers};
// Each is used in one place only: a call that is rewritten.
use burn::nn::BatchNormConfig;
use burn::nn::attention::{MhaInput, MultiHeadAttentionConfig};

/// No name but those of the language and of its own.
mod bare {
    #![no_implicit_prelude]

    use super::MhaInput;
    use ::burn::nn::BatchNorm;
    use ::burn::nn::attention::MultiHeadAttention;
    use ::burn::tensor::Tensor;
    use ::remat::Remat;
    use ::std::option::Option::{self, Some};

    /// Shadows the module that generated code names.
    #[allow(dead_code, reason = "is only in the way")]
    mod nn {
        pub(super) struct MhaInput;
    }

    /// A block.
    #[derive(Remat)]
    pub(super) struct Block {
        /// A layer.
        #[recompute(attention)]
        pub(super) attention: MultiHeadAttention,
        /// Another one.
        #[recompute(attention)]
        pub(super) maybe: Option<MultiHeadAttention>,
        /// Statistics.
        #[frozen_stats]
        pub(super) norm: BatchNorm,
    }

    #[::remat::forward]
    impl Block {
        /// Runs the layers.
        #[must_use]
        pub(super) fn forward(&self, input: Tensor<3>) -> Tensor<3> {
            let y = self
                .attention
                .forward(MhaInput::self_attn(self.norm.forward(input)))
                .context;
            if let Some(attention) = &self.maybe {
                attention.forward(MhaInput::self_attn(y)).context
            } else {
                y
            }
        }
    }
}

#[test]
fn under_every_lint() {
    let device = device();
    let config = MultiHeadAttentionConfig::new(8, 2).with_dropout(0.0);
    let block = bare::Block {
        attention: config.init(&device),
        maybe: Some(config.init(&device)),
        norm: BatchNormConfig::new(5).init(&device),
    };
    let x = numbers([2, 5, 8], &device).require_grad();
    let gradient = || {
        let y = loss(block.forward(x.clone()));
        x.grad(&y.backward()).unwrap().into_data()
    };
    let plain = remat::without_strategies(gradient);
    let error = error(&[Some(gradient())], &[Some(plain)]);
    assert!(error < 1e-4, "{error}");
}
