//! `#[recompute(attention)]`: the same numbers, up to the rounding of a gradient in closed form.

use crate::support::{assert_same, error, loss, numbers, run};
use burn::module::Module;
use burn::nn::attention::{
    self, MhaInput, MhaOutput, MultiHeadAttention, MultiHeadAttentionConfig,
};
use burn::nn::{LayerNorm, LayerNormConfig};
use burn::tensor::{Bool, Device, Tensor};
use remat::Remat;

const WIDTH: usize = 8;

#[derive(Module, Debug, Remat)]
struct Block {
    #[recompute(cheap)]
    norm: LayerNorm,
    #[recompute(attention)]
    attention: MultiHeadAttention,
    #[recompute(attention)]
    layers: Vec<MultiHeadAttention>,
    #[recompute(attention)]
    cross: Option<MultiHeadAttention>,
}

#[allow(unused_qualifications, reason = "paths of several lengths")]
#[allow(clippy::result_large_err, reason = "for a `?` in the input")]
#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>, masks: &Masks) -> Tensor<3> {
        let h = self.attention.forward(
            MhaInput::self_attn(self.norm.forward(x.clone())).mask_attn(masks.causal.clone()),
        );
        let mut x = x + h.context;
        for layer in &self.layers {
            // What a closure could not reach: a borrowed argument.
            let MhaOutput { context, weights } = layer
                .forward(attention::MhaInput::self_attn(x.clone()).mask_pad(masks.pad.clone()));
            x = x + context * weights.powi_scalar(2).sum().reshape([1, 1, 1]);
        }
        self.decode(x.clone(), x, masks).unwrap_or_else(|x| x)
    }

    /// The input is evaluated where it stands: `?` leaves the method.
    fn decode(
        &self,
        x: Tensor<3>,
        memory: Tensor<3>,
        masks: &Masks,
    ) -> Result<Tensor<3>, Tensor<3>> {
        let Some(cross) = &self.cross else {
            return Err(x);
        };
        let key = masks.allowed(memory)?;
        Ok(cross
            .forward(burn::nn::attention::MhaInput::new(x, key.clone(), key))
            .context)
    }
}

struct Masks {
    causal: Tensor<3, Bool>,
    pad: Tensor<2, Bool>,
    memory: bool,
}

#[allow(clippy::result_large_err, reason = "for a `?` in the input")]
impl Masks {
    fn new(memory: bool, device: &Device) -> Self {
        Self {
            causal: attention::generate_autoregressive_mask(2, 5, device),
            pad: Tensor::<2, _>::zeros([2, 5], device).slice_fill([0..1, 3..5], true),
            memory,
        }
    }

    fn allowed(&self, memory: Tensor<3>) -> Result<Tensor<3>, Tensor<3>> {
        if self.memory { Ok(memory) } else { Err(memory) }
    }
}

#[test]
fn fields_of_every_kind() {
    let device = crate::support::device();
    let attention = || {
        MultiHeadAttentionConfig::new(WIDTH, 2)
            .with_dropout(0.0)
            .init(&device)
    };
    let block = Block {
        norm: LayerNormConfig::new(WIDTH).init(&device),
        attention: attention(),
        layers: vec![attention(), attention()],
        cross: Some(attention()),
    };
    let x = numbers([2, 5, WIDTH], &device);
    for memory in [true, false] {
        let masks = Masks::new(memory, &device);
        let forward = |block: &Block| loss(block.forward(x.clone(), &masks));
        let (value, grads) = run(&block, forward);
        let (plain_value, plain) = remat::without_strategies(|| run(&block, forward));
        assert_same(&value, &plain_value);
        let used = if memory { 34 } else { 26 };
        assert_eq!(grads.iter().flatten().count(), used);
        let error = error(&grads, &plain);
        assert!(error < 1e-4, "{error}");
    }
}
