//! From queries and keys to weights, in the steps that burn takes on a device with autodiff.

use burn::tensor::activation::quiet_softmax;
use burn::tensor::{Bool, FloatDType, Int, Tensor};

/// How much a query attends to a key.
#[derive(Clone, Debug)]
pub(crate) struct Weighing {
    pub(crate) scale: Scale,
    /// Scores s become c · tanh(s / c).
    pub(crate) softcap: Option<f64>,
    /// Where true, in broadcastable shape, scores are filled.
    pub(crate) masks: Vec<Tensor<4, Bool>>,
    pub(crate) fill: f64,
    /// Whether keys after the query's own place are filled as well.
    pub(crate) causal: bool,
    /// Added to the scores, in broadcastable shape.
    pub(crate) bias: Option<Tensor<4>>,
    pub(crate) softmax: Softmax,
    /// In what scores and weights are computed, if not in what queries and keys are in.
    pub(crate) computes_in: Option<FloatDType>,
}

/// By what scores are scaled: a product and a quotient round differently.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scale {
    Times(f64),
    Over(f32),
}

/// What makes weights of scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Softmax {
    Plain,
    /// With one more in the denominator.
    Quiet,
    /// With weights of zero where all scores are -∞.
    ZeroIfMasked,
}

impl Scale {
    pub(super) fn apply(self, x: Tensor<4>) -> Tensor<4> {
        match self {
            Self::Times(factor) => x.mul_scalar(factor),
            Self::Over(divisor) => x.div_scalar(divisor),
        }
    }
}

impl Weighing {
    /// The weights before dropout: on tensors with autodiff or without, with the same bits.
    pub(crate) fn probabilities(&self, q: Tensor<4>, k: Tensor<4>) -> Tensor<4> {
        let scores = self.scaled(q, k);
        let scores = match self.softcap {
            Some(cap) => scores.div_scalar(cap).tanh().mul_scalar(cap),
            None => scores,
        };
        self.softmax(self.masked(scores))
    }

    /// The same, and the derivative of the cap, if there is one.
    pub(super) fn probabilities_and_slope(
        &self,
        q: Tensor<4>,
        k: Tensor<4>,
    ) -> (Tensor<4>, Option<Tensor<4>>) {
        let Some(cap) = self.softcap else {
            return (self.probabilities(q, k), None);
        };
        let tanh = self.scaled(q, k).div_scalar(cap).tanh();
        let scores = tanh.clone().mul_scalar(cap);
        let slope = tanh.powi_scalar(2).neg().add_scalar(1.0);
        (self.softmax(self.masked(scores)), Some(slope))
    }

    fn scaled(&self, q: Tensor<4>, k: Tensor<4>) -> Tensor<4> {
        self.scale.apply(self.wide(q.matmul(k.transpose())))
    }

    /// Scores, weights or their gradients in what they are computed in.
    pub(super) fn wide(&self, x: Tensor<4>) -> Tensor<4> {
        match self.computes_in {
            Some(dtype) => x.cast(dtype),
            None => x,
        }
    }

    /// The scores with masks and bias.
    fn masked(&self, scores: Tensor<4>) -> Tensor<4> {
        let fill = |scores: Tensor<4>, mask| scores.mask_fill(mask, self.fill);
        let mut scores = self.masks.iter().cloned().fold(scores, fill);
        if self.causal {
            let mask = future(&scores);
            scores = fill(scores, mask);
        }
        match &self.bias {
            Some(bias) => scores.add(bias.clone()),
            None => scores,
        }
    }

    /// Zeros in the places that were filled.
    pub(super) fn unmasked_gradient(&self, gradient: Tensor<4>) -> Tensor<4> {
        let zero = |gradient: Tensor<4>, mask| gradient.mask_fill(mask, 0.0);
        let gradient = self.masks.iter().cloned().fold(gradient, zero);
        if self.causal {
            let mask = future(&gradient);
            zero(gradient, mask)
        } else {
            gradient
        }
    }

    /// In the steps that burn's autodiff takes: a fused softmax rounds differently, is NaN where all scores are
    /// -∞, and is no faster where each step writes into the tensor that the last one used up.
    fn softmax(&self, scores: Tensor<4>) -> Tensor<4> {
        match self.softmax {
            Softmax::Plain => {
                let max = scores.clone().detach().max_dim(3);
                let exp = scores.sub(max).exp();
                let sum = exp.clone().sum_dim(3);
                exp.div(sum)
            }
            Softmax::Quiet => quiet_softmax(scores, 3),
            Softmax::ZeroIfMasked => {
                let limits = scores.dtype().finfo().expect("scores are floats");
                let max = scores.clone().max_dim(3).clamp_min(limits.min);
                let exp = scores.sub(max).exp();
                let sum = exp.clone().sum_dim(3).clamp_min(limits.min_positive);
                exp.div(sum)
            }
        }
    }

    /// The opposite of [`wide`](Self::wide): in what `like` is in.
    pub(super) fn narrow(&self, x: Tensor<4>, like: &Tensor<4>) -> Tensor<4> {
        match self.computes_in {
            Some(_) => x.cast(FloatDType::from(like.dtype())),
            None => x,
        }
    }

    pub(super) fn without_graph(self) -> Self {
        Self {
            masks: self.masks.into_iter().map(Tensor::inner).collect(),
            bias: self.bias.map(Tensor::inner),
            ..self
        }
    }
}

/// Where a key comes after the query's own place; the last query's place is that of the last key.
#[allow(clippy::cast_possible_wrap, reason = "lengths are far below 2^63")]
fn future(scores: &Tensor<4>) -> Tensor<4, Bool> {
    let [_, _, queries, keys] = scores.dims().map(|length| length as i64);
    let device = scores.device();
    let places = |range, shape: [i64; 4]| Tensor::<1, Int>::arange(range, &device).reshape(shape);
    let own = places(0..queries, [1, 1, queries, 1]).add_scalar(keys - queries);
    own.lower(places(0..keys, [1, 1, 1, keys]))
}
