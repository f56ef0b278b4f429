//! The scaler: backward at a scale, back to gradients, and what becomes of the scale.

use super::{
    GradScalerConfig, GradScalerState, InvalidScaler, Overflow, Refused, ScaledGradients,
    precision_check, unscale,
};
use crate::tape::Vjp;
use burn::lr_scheduler::LrSchedulerRecord;
use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::Tensor;

/// Dynamic loss scaling: gradients of 16-bit activations, which are small, are computed multiplied by a scale, so that
/// few of them vanish; where they become infinite, the step is left out and the scale halved.
///
/// An iteration with one optimizer:
///
/// ```
/// use burn::nn::LinearConfig;
/// use burn::optim::SgdConfig;
/// use burn::tensor::{Device, Tensor};
/// use remat::amp::{GradScaler, Step};
///
/// let device = Device::flex().autodiff();
/// let model = LinearConfig::new(2, 1).init(&device);
/// let mut optimizer = SgdConfig::new().init();
/// let mut scaler = GradScaler::default();
///
/// let loss = model.forward(Tensor::<2>::ones([3, 2], &device)).mean();
/// let scaled = scaler.backward(loss, &model).unwrap();
/// let (model, step) = scaler.step(&mut optimizer, 0.1, model, scaled);
/// match step {
///     Step::Taken => {} // the learning rate schedule advances
///     Step::Skipped(overflow) => println!("{overflow}"),
///     Step::NoGradients => {}
/// }
/// # let _ = model;
/// ```
///
/// With more in between, such as clipping, or with several optimizers, [`unscale`](Self::unscale) gives gradients for each,
/// and [`update`](Self::update) ends the iteration:
///
/// ```
/// # use burn::nn::LinearConfig;
/// # use burn::optim::SgdConfig;
/// # use burn::tensor::{Device, Tensor};
/// # use remat::amp::GradScaler;
/// # let device = Device::flex().autodiff();
/// # let mut model = LinearConfig::new(2, 1).init(&device);
/// # let mut optimizer = SgdConfig::new().init();
/// # let mut scaler = GradScaler::default();
/// # let loss = model.forward(Tensor::<2>::ones([3, 2], &device)).mean();
/// let scaled = scaler.backward(loss, &model).unwrap();
/// match scaler.unscale(scaled, &model) {
///     Ok(grads) => model = optimizer.step(0.1, model, grads),
///     Err(overflow) => println!("{overflow}"),
/// }
/// scaler.update();
/// ```
///
/// * The model's parameters and the loss are f32; what is computed in f16 or bf16 is cast in the forward pass. bf16 has
///   f32's range and hardly needs a scale.
/// * Scaling is where the backward pass starts, not a product with the loss: the loss itself cannot overflow.
/// * The scale moves as Megatron's and `DeepSpeed`'s: see [`GradScalerConfig`].
/// * An iteration waits for the device once, to know whether all gradients are finite.
#[derive(Clone, Debug)]
pub struct GradScaler {
    config: GradScalerConfig,
    state: GradScalerState,
    /// What was found in this iteration, if anything was looked at.
    found: Option<FoundOverflow>,
}

type FoundOverflow = bool;

impl Default for GradScaler {
    fn default() -> Self {
        Self::valid(GradScalerConfig::new())
    }
}

impl GradScaler {
    pub(super) fn valid(config: GradScalerConfig) -> Self {
        Self {
            state: GradScalerState::new(&config),
            config,
            found: None,
        }
    }

    /// What backward passes start from in this iteration.
    #[must_use]
    pub fn scale(&self) -> f32 {
        self.state.scale
    }

    /// The iterations with an overflow so far.
    #[must_use]
    pub fn overflows(&self) -> usize {
        self.state.overflows
    }

    /// Runs the backward pass of `loss` from the scale, and gives the gradients of the model's parameters.
    ///
    /// Of several models, take a tuple: `&(generator.clone(), discriminator.clone())`.
    ///
    /// # Errors
    ///
    /// If the loss, or a parameter that requires a gradient, is f16 or bf16; or if nothing is tracked.
    ///
    /// # Panics
    ///
    /// If remat was built without the feature of the loss's backend.
    pub fn backward<const D: usize, M: Module>(
        &self,
        loss: Tensor<D>,
        model: &M,
    ) -> Result<ScaledGradients, Refused> {
        if precision_check::is_low(loss.dtype()) {
            return Err(Refused::LowPrecisionLoss(loss.dtype()));
        }
        precision_check::master_parameters(model)?;
        let cotangent = Tensor::full(loss.shape(), self.scale(), (&loss.device(), loss.dtype()));
        let mut pass = Vjp::new();
        pass.seed(&loss, cotangent);
        drop(loss);
        let grads = pass.backward().ok_or(Refused::Untracked)?;
        let grads = GradientsParams::from_grads(grads, model);
        Ok(ScaledGradients::from_grads(grads, self.scale()))
    }

    /// The gradients of the parameters of `model`, in f32 at least, divided by the scale that they were computed
    /// with. Those of other parameters are dropped: see [`ScaledGradients::split_off`].
    ///
    /// Reads one tensor from the device, however many parameters there are. Call [`update`](Self::update) once all of an
    /// iteration is unscaled: without it the scale stays, and the next call finds what this one did.
    ///
    /// # Errors
    ///
    /// If an element is infinite or NaN: skip the step.
    pub fn unscale<M: Module>(
        &mut self,
        scaled: ScaledGradients,
        model: &M,
    ) -> Result<GradientsParams, Overflow> {
        let grads = unscale(scaled, model);
        self.note(grads)
    }

    /// Notes whether gradients that were unscaled elsewhere are finite.
    pub(crate) fn note(
        &mut self,
        grads: Result<GradientsParams, Overflow>,
    ) -> Result<GradientsParams, Overflow> {
        let grads = grads.map_err(|overflow| overflow.at_scale_of_at_most(self.config.min_scale));
        // Without a gradient there is nothing that the scale was right for.
        if !matches!(&grads, Ok(grads) if grads.is_empty()) {
            self.found = Some(self.found_overflow() || grads.is_err());
        }
        grads
    }

    /// Whether an overflow was found since the last [`update`](Self::update).
    #[must_use]
    pub fn found_overflow(&self) -> bool {
        self.found.unwrap_or(false)
    }

    /// Ends an iteration: the scale grows or backs off by what [`unscale`](Self::unscale) found in it, whether or not
    /// steps were taken. If it found nothing, because nothing had a gradient or this was called already, nothing happens.
    pub fn update(&mut self) {
        if let Some(found) = self.found.take() {
            self.state = self.state.after(found, &self.config);
        }
    }

    /// [`update`](Self::update), where others may have found an overflow: all ranks of a distributed training have to agree
    /// before any of them takes a step, and their scales stay the same.
    ///
    /// ```
    /// # use remat::amp::GradScaler;
    /// let mut ranks = [GradScaler::default(), GradScaler::default()];
    /// // .. each rank unscales its gradients, and then:
    /// let any = ranks.iter().any(GradScaler::found_overflow); // an all-reduce
    /// // .. each takes a step unless any overflowed, and then:
    /// ranks.iter_mut().for_each(|rank| rank.update_with(any));
    /// assert_eq!(ranks[0].state(), ranks[1].state());
    /// ```
    pub fn update_with(&mut self, found_overflow: bool) {
        self.found = Some(self.found_overflow() || found_overflow);
        self.update();
    }

    /// The numbers as of the last [`update`](Self::update).
    #[must_use]
    pub fn state(&self) -> GradScalerState {
        self.state
    }

    /// Goes on from such numbers, as far as the options allow.
    ///
    /// # Errors
    ///
    /// If the scale is not finite and positive.
    pub fn load_state(self, state: GradScalerState) -> Result<Self, InvalidScaler> {
        let state = state.checked(&self.config)?;
        let found = None;
        Ok(Self {
            state,
            found,
            ..self
        })
    }

    /// The [state](Self::state) as a record of burn's, of named scalars, as its learning rate schedulers have them.
    ///
    /// ```
    /// # use remat::amp::GradScaler;
    /// let scaler = GradScaler::default();
    /// let bytes = scaler.to_record().into_bytes().unwrap(); // or `save(path)`
    ///
    /// let record = burn::lr_scheduler::LrSchedulerRecord::from_bytes(bytes).unwrap();
    /// let scaler = GradScaler::default().load_record(&record).unwrap();
    /// # assert_eq!(scaler.scale(), 65536.0);
    /// ```
    #[must_use]
    pub fn to_record(&self) -> LrSchedulerRecord {
        self.state.to_record()
    }

    /// Goes on from a record.
    ///
    /// # Errors
    ///
    /// If a number is missing, or cannot be a scaler's.
    pub fn load_record(self, record: &LrSchedulerRecord) -> Result<Self, InvalidScaler> {
        let state = GradScalerState::from_record(record)?;
        self.load_state(state)
    }
}
