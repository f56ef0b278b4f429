//! burn's `Linear` as a tail.

use super::TailLayer;
use super::product::product_without_value;
use burn::module::Param;
use burn::nn::Linear;
use burn::tensor::{DType, Tensor, module};
use burn_std::{MatmulTransformAction, MatmulTransformAnalysis, MatmulTransformPolicy};

impl<const D: usize> TailLayer<Tensor<D>, D> for Linear {
    fn without_value(&self, input: Tensor<D>) -> Tensor<D> {
        let bias = self.bias.as_ref().map(Param::val);
        linear_without_value(input, self.weight.val(), bias)
    }
}

/// burn's `linear` (burn-backend, `linear.rs`), step by step, around a product without a value: the
/// gradients round as burn's do only if the product is cut as burn cuts it.
fn linear_without_value<const D: usize>(
    x: Tensor<D>,
    weight: Tensor<2>,
    bias: Option<Tensor<1>>,
) -> Tensor<D> {
    if let DType::QFloat(_) = weight.dtype() {
        // burn takes other operations for packed weights.
        return module::linear(x, weight, bias);
    }
    if D == 1 {
        return linear_without_value(x.unsqueeze::<2>(), weight, bias).squeeze_dim(0);
    }
    let analysis = MatmulTransformAnalysis::from_shapes(&x.shape(), &weight.shape());
    match MatmulTransformPolicy::default().action(&analysis) {
        MatmulTransformAction::MergeBatches { rows } => {
            let mut dims = x.dims();
            let d_input = std::mem::replace(&mut dims[D - 1], weight.dims()[1]);
            let output = product_without_value(&x.reshape([rows, d_input]), &weight);
            plus(output, bias).reshape(dims)
        }
        MatmulTransformAction::Keep => {
            let output = product_without_value(&x, &weight.unsqueeze::<D>());
            plus(output, bias)
        }
    }
}

fn plus<const D: usize>(output: Tensor<D>, bias: Option<Tensor<1>>) -> Tensor<D> {
    match bias {
        Some(bias) => output + bias.unsqueeze(),
        None => output,
    }
}
