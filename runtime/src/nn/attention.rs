//! Attention written by hand, without its seq² tensors.

use super::Dropout;
use crate::Quantize;
use crate::amp::assert_one_dtype;
use crate::strategy::attention::{Core, Scale, Softmax, Weighing, on_autodiff};
use crate::strategy::strategies_are_off;
use burn::tensor::module::attention;
use burn::tensor::ops::AttentionModuleOptions;
use burn::tensor::{Bool, Tensor};

/// Scaled dot-product attention of which only the queries, keys and values are kept: burn's
/// [`attention`](burn::tensor::module::attention()), with dropout.
///
/// burn's keeps three tensors of queries × keys for each head until the backward pass, and a fourth for
/// dropout. Here the backward pass computes the scores again, and from them the gradients in closed form;
/// [`recompute_attention`](crate::recompute_attention) has the formulas and what they cost. For burn's
/// `MultiHeadAttention` use that.
///
/// ```
/// use burn::tensor::{Device, Distribution, Tensor};
/// use remat::nn::Attention;
///
/// let device = Device::flex().autodiff();
/// let random = |shape| Tensor::<4>::random(shape, Distribution::Default, &device).require_grad();
/// let (q, k) = (random([2, 4, 5, 8]), random([2, 4, 7, 8])); // [batch, heads, length, width]
/// let v = random([2, 4, 7, 3]); // as many as there are keys; a width of their own
///
/// let y = Attention::new().causal().forward(q.clone(), k, v);
/// assert_eq!(y.dims(), [2, 4, 5, 3]);
/// let grads = y.sum().backward();
/// assert_eq!(q.grad(&grads).unwrap().dims(), [2, 4, 5, 8]);
/// ```
///
/// # Values
///
/// The output is what burn's `attention` gives on a device with autodiff, to the bit on backends whose
/// kernels give the same bits each time: in this order, scores times the scale, the cap, the mask, the causal
/// mask, the bias, and a softmax in which a query with nothing to attend to has weights of 0. Gradients are
/// exact to rounding (burn differentiates step by step). On a device without autodiff, and in
/// [`without_strategies`](crate::without_strategies), it is burn's `attention`.
#[derive(Clone, Debug, Default)]
pub struct Attention {
    mask: Option<Tensor<4, Bool>>,
    bias: Option<Tensor<4>>,
    options: AttentionModuleOptions,
    dropout: Option<Dropout>,
    compression: Option<Quantize>,
}

impl Attention {
    /// Attention without mask, bias, cap and dropout, with scores divided by the root of the width.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Pairs of which the query does not attend to the key, where true: `[batch, heads, queries, keys]`, each
    /// of them or 1. The mask is kept as it is given.
    ///
    /// ```
    /// use burn::tensor::{Bool, Device, Tensor};
    /// use remat::nn::Attention;
    ///
    /// let device = Device::flex().autodiff();
    /// let x = Tensor::<4>::ones([2, 4, 5, 8], &device).require_grad();
    /// let padding = Tensor::<2, Bool>::full([2, 5], false, &device); // [batch, keys]
    /// let y = Attention::new()
    ///     .mask(padding.reshape([2, 1, 1, 5]))
    ///     .forward(x.clone(), x.clone(), x);
    /// assert_eq!(y.dims(), [2, 4, 5, 8]);
    /// ```
    #[must_use]
    pub fn mask(mut self, mask: Tensor<4, Bool>) -> Self {
        self.mask = Some(mask);
        self
    }

    /// What is added to the scores (`ALiBi`, relative positions): `[batch, heads, queries, keys]`, each of them
    /// or 1. Its gradient is summed over what was 1. The bias is kept as it is given.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::nn::Attention;
    ///
    /// let device = Device::flex().autodiff();
    /// let x = Tensor::<4>::ones([2, 4, 5, 8], &device);
    /// let bias = Tensor::<4>::zeros([1, 4, 5, 5], &device).require_grad();
    /// let y = Attention::new().bias(bias.clone()).forward(x.clone(), x.clone(), x);
    /// let grads = y.sum().backward();
    /// assert_eq!(bias.grad(&grads).unwrap().dims(), [1, 4, 5, 5]);
    /// ```
    #[must_use]
    pub fn bias(mut self, bias: Tensor<4>) -> Self {
        self.bias = Some(bias);
        self
    }

    /// No query attends to keys after its own place; the last query's place is that of the last key.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::nn::Attention;
    ///
    /// let x = Tensor::<4>::from_data([[[[1.0], [3.0]]]], &Device::flex().autodiff());
    /// let y = Attention::new().causal().forward(x.zeros_like(), x.zeros_like(), x);
    /// assert_eq!(y.to_data(), burn::tensor::TensorData::from([[[[1.0_f32], [2.0]]]]));
    /// ```
    #[must_use]
    pub fn causal(mut self) -> Self {
        self.options.is_causal = true;
        self
    }

    /// What the scores are multiplied with, instead of 1 / √width.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::nn::Attention;
    ///
    /// let x = Tensor::<4>::ones([2, 4, 5, 8], &Device::flex().autodiff()).require_grad();
    /// let y = Attention::new().scale(0.5).forward(x.clone(), x.clone(), x);
    /// assert!(y.is_tracked());
    /// ```
    #[must_use]
    pub fn scale(mut self, scale: f64) -> Self {
        self.options.scale = Some(scale);
        self
    }

    /// Scores s become c · tanh(s / c), before the masks.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::nn::Attention;
    ///
    /// let x = Tensor::<4>::ones([2, 4, 5, 8], &Device::flex().autodiff()).require_grad();
    /// let y = Attention::new().softcap(30.0).forward(x.clone(), x.clone(), x);
    /// assert!(y.is_tracked());
    /// ```
    ///
    /// # Panics
    ///
    /// If the cap is not positive.
    #[must_use]
    pub fn softcap(mut self, softcap: f64) -> Self {
        assert!(
            softcap > 0.0,
            "remat: the softcap of attention must be positive, but is {softcap}"
        );
        self.options.softcap = Some(softcap);
        self
    }

    /// Drops weights, as the layer would: in training, with its probability. The mask is computed again in the
    /// backward pass, not kept.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::nn::{Attention, DropoutConfig};
    ///
    /// let dropout = DropoutConfig::new(0.1).init(); // a field of your module
    /// let x = Tensor::<4>::ones([2, 4, 5, 8], &Device::flex().autodiff()).require_grad();
    /// let y = Attention::new().dropout(&dropout).forward(x.clone(), x.clone(), x);
    /// assert!(y.is_tracked());
    /// ```
    #[must_use]
    pub fn dropout(mut self, dropout: &Dropout) -> Self {
        self.dropout = Some(dropout.clone());
        self
    }

    /// Keeps queries, keys and values compressed.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::{Quantize, nn::Attention};
    ///
    /// let x = Tensor::<4>::ones([2, 4, 5, 8], &Device::flex().autodiff()).require_grad();
    /// let q = x.clone() * 2.0;
    /// let y = Attention::new().quantize(Quantize::bits(8)).forward(q.clone(), q.clone(), q);
    /// assert!(x.grad(&y.sum().backward()).is_some());
    /// ```
    ///
    /// # Panics
    ///
    /// If only signs are to be kept (1 bit).
    #[must_use]
    pub fn quantize(mut self, kept: Quantize) -> Self {
        kept.assert_values();
        self.compression = Some(kept);
        self
    }

    /// The values `[batch, heads, keys, value width]`, weighted for each query: from queries
    /// `[batch, heads, queries, width]` and keys `[batch, heads, keys, width]` to
    /// `[batch, heads, queries, value width]`.
    ///
    /// # Panics
    ///
    /// If the shapes do not fit (burn's own messages), queries, keys and values have different dtypes, or remat was built without the feature of the tensors'
    /// backend.
    #[must_use]
    #[track_caller]
    pub fn forward(self, query: Tensor<4>, key: Tensor<4>, value: Tensor<4>) -> Tensor<4> {
        assert_one_dtype(&query, &key);
        assert_one_dtype(&query, &value);
        let inputs = [Some(&query), Some(&key), Some(&value), self.bias.as_ref()];
        let Some(input) = on_autodiff(inputs) else {
            return self.plain(query, key, value);
        };
        let dropout = self.dropout.as_ref();
        if !strategies_are_off() {
            let mask = dropout.and_then(|dropout| dropout.mask(input));
            let core = Core::new(self.weighing(&query), query, key, value, mask);
            return core.compressed(self.compression).forward();
        }
        let Some(dropout) = dropout else {
            return self.plain(query, key, value);
        };
        let weights = self.weighing(&query).probabilities(query, key);
        dropout.forward(weights).matmul(value)
    }

    fn plain(self, query: Tensor<4>, key: Tensor<4>, value: Tensor<4>) -> Tensor<4> {
        attention(query, key, value, self.mask, self.bias, self.options)
    }

    fn weighing(&self, query: &Tensor<4>) -> Weighing {
        let [.., width] = query.dims();
        let scale = self.options.scale;
        Weighing {
            scale: Scale::Times(scale.unwrap_or_else(|| 1.0 / (width as f64).sqrt())),
            softcap: self.options.softcap,
            masks: self.mask.iter().cloned().collect(),
            fill: f64::NEG_INFINITY,
            causal: self.options.is_causal,
            bias: self.bias.clone(),
            softmax: Softmax::ZeroIfMasked,
            computes_in: None,
        }
    }
}
