//! What a measurement needs of a model, whatever its type and that of its input.

use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::{Device, Distribution, Tensor};
use remat::amp::GradScaler;

use crate::gradients::{gradients, parameters};

/// A model on its device, and the input of its steps.
pub trait Model {
    /// The device, with the settings of autodiff that the model runs with.
    fn device(&self) -> &Device;

    /// The forward pass and the loss: the mean of the squares.
    fn loss(&self) -> Tensor<1>;

    /// The backward pass of a loss.
    fn backward(&self, loss: Tensor<1>) -> GradientsParams;

    /// The values of every parameter.
    fn parameters(&self) -> Vec<Vec<f32>>;

    /// The gradient of every parameter.
    fn gradients(&self, of: &GradientsParams) -> Vec<Vec<f32>>;
}

/// Makes a [`Model`] of a module, its method, and random input of a shape.
pub(super) fn model<M: Module + 'static, const I: usize, const O: usize>(
    device: &Device,
    shape: [usize; I],
    module: M,
    forward: fn(&M, Tensor<I>) -> Tensor<O>,
) -> Box<dyn Model> {
    let backward =
        |loss: Tensor<1>, module: &M| GradientsParams::from_grads(loss.backward(), module);
    with_input(device, shape, module, forward, backward)
}

/// The same, with a scaled loss.
pub(super) fn scaled_model<M: Module + 'static, const I: usize, const O: usize>(
    device: &Device,
    shape: [usize; I],
    module: M,
    forward: fn(&M, Tensor<I>) -> Tensor<O>,
) -> Box<dyn Model> {
    with_input(device, shape, module, forward, scaled_backward)
}

fn with_input<M: Module + 'static, const I: usize, const O: usize>(
    device: &Device,
    shape: [usize; I],
    module: M,
    forward: fn(&M, Tensor<I>) -> Tensor<O>,
    backward: fn(Tensor<1>, &M) -> GradientsParams,
) -> Box<dyn Model> {
    let _ = parameters(&module); // draws them, before the input is drawn
    Box::new(WithInput {
        input: Tensor::random(shape, Distribution::Normal(0.0, 1.0), device),
        device: device.clone(),
        module,
        forward,
        backward,
    })
}

fn scaled_backward<M: Module>(loss: Tensor<1>, module: &M) -> GradientsParams {
    let mut scaler = GradScaler::default();
    let grads = match scaler.backward(loss, module) {
        Ok(grads) => scaler.unscale(grads, module),
        Err(refused) => panic!("{refused}"),
    };
    match grads {
        Ok(grads) => grads,
        Err(overflow) => panic!("{overflow}"),
    }
}

struct WithInput<M, const I: usize, const O: usize> {
    device: Device,
    module: M,
    input: Tensor<I>,
    forward: fn(&M, Tensor<I>) -> Tensor<O>,
    backward: fn(Tensor<1>, &M) -> GradientsParams,
}

impl<M: Module, const I: usize, const O: usize> Model for WithInput<M, I, O> {
    fn device(&self) -> &Device {
        &self.device
    }

    fn loss(&self) -> Tensor<1> {
        let output = (self.forward)(&self.module, self.input.clone());
        output.square().mean()
    }

    fn backward(&self, loss: Tensor<1>) -> GradientsParams {
        (self.backward)(loss, &self.module)
    }

    fn parameters(&self) -> Vec<Vec<f32>> {
        parameters(&self.module)
    }

    fn gradients(&self, of: &GradientsParams) -> Vec<Vec<f32>> {
        gradients(&self.module, of)
    }
}
