//! The gradient of attention in closed form, from queries, keys and values alone.
//!
//! With scores S, probabilities P = softmax(S), weights W = P without what dropout drops, and O = W V:
//!
//! ```text
//! dV = Wᵀ dO        dW = dO Vᵀ
//! G  = W ∘ dW       dS = G - P ∘ rowsum(G)
//! dQ = scale dS K   dK = scale dSᵀ Q
//! ```
//!
//! The second line is the Jacobian of a softmax, ∂Pⱼ/∂Sᵢ = Pⱼ (δᵢⱼ - Pᵢ), which a denominator with one more
//! leaves as it is; W ∘ dW = P ∘ dP, whether or not there is dropout. (`FlashAttention`, Dao et al. 2022, appendix B,
//! has the same backward pass.)

use super::operand::Operand;
use super::weighing::Weighing;
use crate::nn::Mask;
use crate::tape::ParentGradients;
use burn::tensor::Tensor;

/// What the backward pass needs, without autodiff.
#[derive(Clone)]
pub(super) struct Kept {
    pub(super) q: Operand,
    pub(super) k: Operand,
    pub(super) v: Operand,
    pub(super) weighing: Weighing,
    pub(super) dropout: Option<Mask>,
    /// The weights before dropout, if they are not computed again.
    pub(super) probabilities: Option<Tensor<4>>,
}

/// Which inputs have a gradient: their places among the parents.
pub(super) struct Wanted {
    pub(super) q: Option<usize>,
    pub(super) k: Option<usize>,
    pub(super) v: Option<usize>,
    pub(super) bias: Option<usize>,
}

impl Wanted {
    /// Whether the gradient of the scores is needed.
    fn scores(&self) -> bool {
        self.q.or(self.k).or(self.bias).is_some()
    }
}

impl Kept {
    /// The same, with values that were compressed.
    pub(super) fn decompressed(self) -> Self {
        let whole = |operand: Operand| Operand::Whole(operand.value());
        Self {
            q: whole(self.q),
            k: whole(self.k),
            v: whole(self.v),
            ..self
        }
    }

    /// The weights, with the bits of burn's.
    pub(super) fn weights(&self) -> Tensor<4> {
        let probabilities = match &self.probabilities {
            Some(probabilities) => probabilities.clone(),
            None => self.probabilities(),
        };
        self.dropped(probabilities)
    }

    /// The weights before dropout.
    pub(super) fn probabilities(&self) -> Tensor<4> {
        let (q, k) = (self.q.value(), self.k.value());
        let probabilities = self.weighing.probabilities(q.clone(), k);
        self.weighing.narrow(probabilities, &q)
    }

    fn dropped(&self, probabilities: Tensor<4>) -> Tensor<4> {
        match &self.dropout {
            Some(mask) => mask.apply(probabilities),
            None => probabilities,
        }
    }

    /// From the gradient of the weighted sum.
    pub(super) fn context_pullback(
        self,
        wanted: &Wanted,
        d_context: Tensor<4>,
        parents: &mut ParentGradients,
    ) {
        let again = self.again();
        if let Some(place) = wanted.v {
            let weights = self.weighing.narrow(again.weights.clone(), &d_context);
            let d_v = weights.transpose().matmul(d_context.clone());
            parents.set(place, summed_to(self.v.value().dims(), d_v));
        }
        if wanted.scores() {
            let d_weights = d_context.matmul(self.v.value().transpose());
            self.scores_pullback(wanted, again, d_weights, parents);
        }
    }

    /// From the gradient of the weights themselves.
    pub(super) fn weights_pullback(
        self,
        wanted: &Wanted,
        d_weights: Tensor<4>,
        parents: &mut ParentGradients,
    ) {
        let again = self.again();
        self.scores_pullback(wanted, again, d_weights, parents);
    }

    /// The operations are in an order that lets each write into a tensor that is used up.
    fn scores_pullback(
        self,
        wanted: &Wanted,
        again: Again,
        d_weights: Tensor<4>,
        parents: &mut ParentGradients,
    ) {
        let product = self.weighing.wide(d_weights).mul(again.weights);
        let row_sums = product.clone().sum_dim(3);
        let mut d_scores = product.sub(again.probabilities.mul(row_sums));

        if let (Some(place), Some(bias)) = (wanted.bias, &self.weighing.bias) {
            parents.set(place, summed_to(bias.dims(), d_scores.clone()));
        }
        // They may have probabilities (filled with a finite number, where all of a row is), and 0 times NaN is NaN.
        d_scores = self.weighing.unmasked_gradient(d_scores);
        if let Some(slope) = again.slope {
            d_scores = d_scores.mul(slope);
        }
        let scale = self.weighing.scale;
        let k = self.k.value();
        d_scores = self.weighing.narrow(d_scores, &k);
        if let Some(place) = wanted.q {
            let d_q = scale.apply(d_scores.clone().matmul(k));
            parents.set(place, summed_to(self.q.value().dims(), d_q));
        }
        if let Some(place) = wanted.k {
            let d_k = scale.apply(d_scores.transpose().matmul(self.q.value()));
            parents.set(place, summed_to(self.k.value().dims(), d_k));
        }
    }

    /// The forward pass once more, or what was kept of it.
    fn again(&self) -> Again {
        if let Some(probabilities) = &self.probabilities {
            let probabilities = self.weighing.wide(probabilities.clone());
            return Again {
                weights: self.dropped(probabilities.clone()),
                probabilities,
                slope: None,
            };
        }
        let (q, k) = (self.q.value(), self.k.value());
        let (probabilities, slope) = self.weighing.probabilities_and_slope(q, k);
        Again {
            weights: self.dropped(probabilities.clone()),
            probabilities,
            slope,
        }
    }
}

/// What came of the second run.
struct Again {
    probabilities: Tensor<4>,
    /// The probabilities after dropout.
    weights: Tensor<4>,
    /// The derivative of the cap.
    slope: Option<Tensor<4>>,
}

/// The gradient of a tensor of that shape that was broadcast.
fn summed_to(dims: [usize; 4], gradient: Tensor<4>) -> Tensor<4> {
    let mut gradient = gradient;
    for (dim, length) in dims.into_iter().enumerate() {
        if length == 1 && gradient.dims()[dim] > 1 {
            gradient = gradient.sum_dim(dim);
        }
    }
    gradient
}
