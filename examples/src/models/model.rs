//! What a measurement needs of a model, whatever its type.

use burn::module::Module;
use burn::tensor::{Device, Gradients, Tensor};

use crate::gradients::{gradients, parameters};

/// A stack of blocks on its device.
pub trait Model {
    /// The device, with the settings of autodiff that the model runs with.
    fn device(&self) -> &Device;

    /// `[batch, seq, dim]` in and out.
    fn forward(&self, x: Tensor<3>) -> Tensor<3>;

    /// The values of every parameter.
    fn parameters(&self) -> Vec<Vec<f32>>;

    /// The gradient of every parameter.
    fn gradients(&self, of: &Gradients) -> Vec<Vec<f32>>;
}

/// Makes a [`Model`] of a module and its method.
pub(super) fn model<M: Module + 'static>(
    device: &Device,
    module: M,
    forward: fn(&M, Tensor<3>) -> Tensor<3>,
) -> Box<dyn Model> {
    Box::new(Stack {
        device: device.clone(),
        module,
        forward,
    })
}

struct Stack<M> {
    device: Device,
    module: M,
    forward: fn(&M, Tensor<3>) -> Tensor<3>,
}

impl<M: Module> Model for Stack<M> {
    fn device(&self) -> &Device {
        &self.device
    }

    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        (self.forward)(&self.module, x)
    }

    fn parameters(&self) -> Vec<Vec<f32>> {
        parameters(&self.module)
    }

    fn gradients(&self, of: &Gradients) -> Vec<Vec<f32>> {
        gradients(&self.module, of)
    }
}
