//! Scores, softmax, dropout and weighted sum as one node that keeps none of them.

use super::super::compression::Quantize;
use super::super::segment::Context;
use super::gradient::{Kept, Wanted};
use super::operand::Operand;
use super::weighing::Weighing;
use crate::nn::Mask;
use crate::tape::{Cotangents, Parent, ParentGradients, record};
use burn::tensor::Tensor;

/// Attention between its projections, in the graph of the caller's, on a device with autodiff.
pub(crate) struct Core {
    q: Tensor<4>,
    k: Tensor<4>,
    v: Tensor<4>,
    bias: Option<Tensor<4>>,
    kept: Kept,
    compression: Option<Quantize>,
}

impl Core {
    pub(crate) fn new(
        weighing: Weighing,
        q: Tensor<4>,
        k: Tensor<4>,
        v: Tensor<4>,
        dropout: Option<Mask>,
    ) -> Self {
        let bias = weighing.bias.clone();
        let kept = Kept {
            q: Operand::Whole(q.clone().inner()),
            k: Operand::Whole(k.clone().inner()),
            v: Operand::Whole(v.clone().inner()),
            weighing: weighing.without_graph(),
            dropout,
            probabilities: None,
        };
        Self {
            q,
            k,
            v,
            bias,
            kept,
            compression: None,
        }
    }

    /// Queries, keys and values are kept compressed.
    pub(crate) fn compressed(self, compression: Option<Quantize>) -> Self {
        Self {
            compression,
            ..self
        }
    }

    /// The weights are kept, before dropout and in what the queries are in.
    pub(super) fn keeping_weights(mut self) -> Self {
        self.kept.probabilities = Some(self.kept.probabilities());
        self
    }

    /// The weighted sum.
    pub(crate) fn forward(self) -> Tensor<4> {
        let weights = self.kept.weights();
        self.weighted_sum(weights)
    }

    /// The weights and the weighted sum. Each is a node of its own: one that no loss reaches is not visited,
    /// and weights that the caller drops are not kept.
    pub(crate) fn forward_with_weights(self) -> (Tensor<4>, Tensor<4>) {
        let weights = self.kept.weights();
        let context = self.weighted_sum(weights.clone());
        (self.tracked_weights(weights), context)
    }

    fn weighted_sum(&self, weights: Tensor<4>) -> Tensor<4> {
        let context = weights.matmul(self.kept.v.value());
        self.node(context, self.inputs(), Kept::context_pullback)
    }

    fn tracked_weights(&self, weights: Tensor<4>) -> Tensor<4> {
        let [q, k, _, bias] = self.inputs();
        self.node(weights, [q, k, None, bias], Kept::weights_pullback)
    }

    /// The value as the result of those inputs.
    fn node(
        &self,
        value: Tensor<4>,
        [q, k, v, bias]: Inputs<'_>,
        pullback: fn(Kept, &Wanted, Tensor<4>, &mut ParentGradients),
    ) -> Tensor<4> {
        let mut parents = Vec::new();
        let mut place = |tensor: Option<&Tensor<4>>| {
            parents.push(Parent::of(tensor?)?);
            Some(parents.len() - 1)
        };
        let wanted = Wanted {
            q: place(q),
            k: place(k),
            v: place(v),
            bias: place(bias),
        };
        if parents.is_empty() {
            return self.constant(value);
        }
        let kept = self.to_keep();
        record(parents, move |mut outputs: Cotangents, parents| {
            if let Some(gradient) = outputs.take::<4>(0) {
                pullback(kept.decompressed(), &wanted, gradient, parents);
            }
        })
        .output(value)
    }

    /// What the backward pass needs.
    fn to_keep(&self) -> Kept {
        let mut kept = self.kept.clone();
        if let Some(compression) = self.compression {
            kept.q = Operand::compressed(&self.q, compression);
            kept.k = Operand::compressed(&self.k, compression);
            kept.v = Operand::compressed(&self.v, compression);
        }
        kept
    }

    /// The value as a constant of the caller's device, as in the first run of a checkpoint.
    fn constant(&self, value: Tensor<4>) -> Tensor<4> {
        match on_autodiff(self.inputs()) {
            Some(input) => Context::of(input).constant(value),
            None => value,
        }
    }

    fn inputs(&self) -> Inputs<'_> {
        [
            Some(&self.q),
            Some(&self.k),
            Some(&self.v),
            self.bias.as_ref(),
        ]
    }
}

/// Queries, keys, values and bias, as far as something depends on them.
type Inputs<'a> = [Option<&'a Tensor<4>>; 4];

/// An input on a device with autodiff, if there is one: what comes of it is there as well.
pub(crate) fn on_autodiff(inputs: Inputs<'_>) -> Option<&Tensor<4>> {
    let mut inputs = inputs.into_iter().flatten();
    inputs.find(|input| input.is_autodiff())
}
