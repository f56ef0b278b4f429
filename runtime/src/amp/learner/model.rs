//! The model of a learner whose loss is scaled.

use super::LearnerScaler;
use burn::lr_scheduler::module_lr_scheduler::ModuleLearningRate;
use burn::module::{Devices, Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::{GradientsParams, ModuleOptimizer, MultiGradientsParams};
use burn::tensor::{Device, Tensor};
use burn::train::{InferenceStep, ItemLazy, TrainOutput, TrainStep};
use std::fmt;

/// What a model does in a step of the training before the backward pass: the forward pass of burn's
/// [`TrainStep`]. [`LearnerScaler`] has an example.
pub trait TrainLoss {
    /// A batch.
    type Input: Send + 'static;
    /// What the metrics are taken from.
    type Output: ItemLazy + 'static;

    /// The loss of a batch, in f32.
    fn loss(&self, batch: Self::Input) -> (Tensor<1>, Self::Output);
}

/// A model for burn's learner, the loss of which is scaled: made by [`LearnerScaler::model`].
///
/// It is the model as far as burn is concerned: parameters, paths and records are the same.
///
/// ```
/// use burn::module::Module;
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::Device;
/// use remat::amp::{GradScaler, LearnerScaler, Scaled};
///
/// let device = Device::flex().autodiff();
/// let linear = LinearConfig::new(2, 3).init(&device);
/// let scaled: Scaled<Linear> = LearnerScaler::new(GradScaler::default()).model(linear);
/// assert_eq!(scaled.num_params(), 9);
///
/// let saved = scaled.into_record(); // loads into the plain layer
/// let linear = LinearConfig::new(2, 3).init(&device).load_record(saved);
/// # let _ = linear;
/// ```
///
/// # Panics
///
/// The training step panics with the text of the [`Refused`](crate::amp::Refused), since burn's learner takes no errors; and
/// if a parameter is marked for burn's distributed gradients, since the learners of the devices would share a scaler.
#[derive(Clone, Debug)]
pub struct Scaled<M> {
    model: M,
    scaler: LearnerScaler,
}

impl<M> Scaled<M> {
    pub(super) fn new(model: M, scaler: LearnerScaler) -> Self {
        Self { model, scaler }
    }

    /// The model.
    pub fn inner(&self) -> &M {
        &self.model
    }

    /// The model by itself.
    pub fn into_inner(self) -> M {
        self.model
    }

    fn map_model(self, map: impl FnOnce(M) -> M) -> Self {
        let Self { model, scaler } = self;
        Self::new(map(model), scaler)
    }
}

impl<M: Module + TrainLoss> TrainStep for Scaled<M> {
    type Input = M::Input;
    type Output = M::Output;

    fn step(&self, batch: M::Input) -> TrainOutput<M::Output> {
        self.model.visit(&mut RefuseDistributed);
        let (loss, item) = self.model.loss(batch);
        match self.scaler.scaler().backward(loss, &self.model) {
            Ok(scaled) => TrainOutput {
                grads: scaled.grads,
                item,
            },
            Err(refused) => panic!("remat: {refused}"),
        }
    }

    fn optimize(
        self,
        optimizer: &mut ModuleOptimizer,
        rate: ModuleLearningRate,
        grads: GradientsParams,
    ) -> Self {
        let Self { model, scaler } = self;
        Self::new(scaler.step(optimizer, rate, model, grads), scaler)
    }

    fn optimize_multi(
        self,
        optimizer: &mut ModuleOptimizer,
        rate: ModuleLearningRate,
        grads: MultiGradientsParams,
    ) -> Self {
        let grads = gathered(grads, &self.model);
        self.optimize(optimizer, rate, grads)
    }
}

impl<M: InferenceStep> InferenceStep for Scaled<M> {
    type Input = M::Input;
    type Output = M::Output;

    fn step(&self, batch: M::Input) -> M::Output {
        self.model.step(batch)
    }
}

/// No path is entered, so that a record of it is one of the model.
impl<M: Module> Module for Scaled<M> {
    fn visit<V: ModuleVisitor>(&self, visitor: &mut V) {
        self.model.visit(visitor);
    }

    fn map<T: ModuleMapper>(self, mapper: &mut T) -> Self {
        self.map_model(|model| model.map(mapper))
    }

    fn to_device(self, device: &Device) -> Self {
        self.map_model(|model| model.to_device(device))
    }

    fn fork(self, device: &Device) -> Self {
        self.map_model(|model| model.fork(device))
    }

    fn collect_devices(&self, devices: Devices) -> Devices {
        self.model.collect_devices(devices)
    }

    fn valid(&self) -> Self {
        Self::new(self.model.valid(), self.scaler.clone())
    }

    fn train(self) -> Self {
        self.map_model(M::train)
    }

    fn materialize(self) -> Self {
        self.map_model(M::materialize)
    }
}

impl<M: fmt::Display> fmt::Display for Scaled<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.model.fmt(f)
    }
}

struct RefuseDistributed;

impl ModuleVisitor for RefuseDistributed {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = param.base();
        assert!(
            !(value.is_tracked() && value.is_distributed()),
            "remat: a parameter is marked for burn's distributed gradients, where each device has a learner of its own: \
             a `LearnerScaler` is for one learner. Use a `GradScaler` on each device"
        );
    }
}

/// The sums of the gradients of several devices, where burn's optimizer would put them.
fn gathered<M: Module>(from: MultiGradientsParams, model: &M) -> GradientsParams {
    let to = GradientsParams::new();
    let mut gather = Gather { from, to };
    model.visit(&mut gather);
    gather.to
}

struct Gather {
    from: MultiGradientsParams,
    to: GradientsParams,
}

impl ModuleVisitor for Gather {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some((gradient, _)) = self.from.remove::<D>(param.id) {
            self.to.register(param.id, gradient);
        }
    }
}
