//! A module's parameters and their gradients as plain numbers, in the order of its fields.

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;

/// The values of every parameter.
///
/// burn draws a parameter's first values when it is first used: reading them all fixes them, so
/// that modules of the same fields and the same seed start alike, whatever they run first.
#[must_use]
pub fn parameters(module: &impl Module) -> Vec<Vec<f32>> {
    let mut read = ReadParameters(Vec::new());
    module.visit(&mut read);
    read.0
}

/// The gradient of every parameter, zeros where the loss does not depend on it.
#[must_use]
pub fn gradients(module: &impl Module, of: &GradientsParams) -> Vec<Vec<f32>> {
    let mut read = ReadGradients {
        of,
        values: Vec::new(),
    };
    module.visit(&mut read);
    read.values
}

struct ReadParameters(Vec<Vec<f32>>);

impl ModuleVisitor for ReadParameters {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.push(numbers(&param.val()));
    }
}

struct ReadGradients<'a> {
    of: &'a GradientsParams,
    values: Vec<Vec<f32>>,
}

impl ModuleVisitor for ReadGradients<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let gradient = match self.of.get::<D>(param.id) {
            Some(gradient) => numbers(&gradient),
            None => vec![0.0; param.shape().num_elements()],
        };
        self.values.push(gradient);
    }
}

fn numbers<const D: usize>(tensor: &Tensor<D>) -> Vec<f32> {
    tensor.to_data().iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::nn::LinearConfig;
    use burn::tensor::Device;

    #[test]
    fn gradients_come_in_the_order_of_the_parameters() {
        let _turn = crate::alone();
        let device = Device::flex().autodiff();
        let layer = LinearConfig::new(2, 3).init(&device);
        let weight = &parameters(&layer)[0];
        assert_eq!(weight.len(), 6);

        let x = Tensor::<2>::from_floats([[1.0, 2.0]], &device);
        let grads = GradientsParams::from_grads(layer.forward(x).sum().backward(), &layer);
        let expected = [vec![1.0, 1.0, 1.0, 2.0, 2.0, 2.0], vec![1.0; 3]];
        assert_eq!(gradients(&layer, &grads), expected);
    }

    #[test]
    fn a_parameter_that_is_not_used_has_a_gradient_of_zeros() {
        let _turn = crate::alone();
        let device = Device::flex().autodiff();
        let layer = LinearConfig::new(2, 3).init(&device);
        let x = Tensor::<2>::from_floats([[1.0, 2.0]], &device);
        let grads = x.matmul(layer.weight.val()).sum().backward();
        let grads = GradientsParams::from_grads(grads, &layer);
        assert_eq!(gradients(&layer, &grads)[1], [0.0; 3]);
    }
}
