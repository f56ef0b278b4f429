//! What a measurement needs of a model, whatever its type.

use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};
use remat::amp::GradScaler;

use crate::gradients::{gradients, parameters};

/// A stack of blocks on its device.
pub trait Model {
    /// The device, with the settings of autodiff that the model runs with.
    fn device(&self) -> &Device;

    /// `[batch, seq, dim]` in and out.
    fn forward(&self, x: Tensor<3>) -> Tensor<3>;

    /// The backward pass of a loss.
    fn backward(&self, loss: Tensor<1>) -> GradientsParams;

    /// The values of every parameter.
    fn parameters(&self) -> Vec<Vec<f32>>;

    /// The gradient of every parameter.
    fn gradients(&self, of: &GradientsParams) -> Vec<Vec<f32>>;
}

/// Makes a [`Model`] of a module and its method.
pub(super) fn model<M: Module + 'static>(
    device: &Device,
    module: M,
    forward: fn(&M, Tensor<3>) -> Tensor<3>,
) -> Box<dyn Model> {
    let backward =
        |loss: Tensor<1>, module: &M| GradientsParams::from_grads(loss.backward(), module);
    Box::new(Stack {
        device: device.clone(),
        module,
        forward,
        backward,
    })
}

/// The same, with a scaled loss.
pub(super) fn scaled_model<M: Module + 'static>(
    device: &Device,
    module: M,
    forward: fn(&M, Tensor<3>) -> Tensor<3>,
) -> Box<dyn Model> {
    Box::new(Stack {
        device: device.clone(),
        module,
        forward,
        backward: scaled_backward,
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

struct Stack<M> {
    device: Device,
    module: M,
    forward: fn(&M, Tensor<3>) -> Tensor<3>,
    backward: fn(Tensor<1>, &M) -> GradientsParams,
}

impl<M: Module> Model for Stack<M> {
    fn device(&self) -> &Device {
        &self.device
    }

    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        (self.forward)(&self.module, x)
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
