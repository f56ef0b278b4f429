//! Gradients that are still multiplied by the scale.

use super::precision_check::is_low;
use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{FloatDType, Tensor};

/// Gradients multiplied by a scale. No optimizer and no clipping takes them;
/// [`GradScaler::unscale`](super::GradScaler::unscale) makes gradients of them.
///
/// ```
/// use burn::nn::LinearConfig;
/// use burn::tensor::{Device, Tensor};
/// use remat::amp::GradScaler;
///
/// let device = Device::flex().autodiff();
/// let model = LinearConfig::new(2, 1).init(&device);
/// let mut scaler = GradScaler::default();
/// let loss = |x: f32| model.forward(Tensor::<2>::full([1, 2], x, &device)).sum();
///
/// // Two micro-batches of one iteration.
/// let first = scaler.backward(loss(1.0), &model).unwrap();
/// let second = scaler.backward(loss(2.0), &model).unwrap();
/// let grads = scaler.unscale(first.add(second, &model), &model).unwrap();
///
/// let weight = grads.get::<2>(model.weight.id).unwrap();
/// assert_eq!(weight.to_data().try_to_vec::<f32>().unwrap(), [3.0, 3.0]);
/// ```
#[derive(Debug)]
#[must_use = "scaled gradients train nothing until `GradScaler::unscale` or `GradScaler::step` takes them"]
pub struct ScaledGradients {
    pub(super) grads: GradientsParams,
    pub(super) scale: f32,
    pub(super) weight: f64,
}

impl ScaledGradients {
    /// Gradients of a backward pass of your own, which started from `scale` (times a weight, perhaps) in place of one:
    /// [`GradScaler::scale`](super::GradScaler::scale).
    pub fn from_grads(grads: GradientsParams, scale: f32) -> Self {
        Self {
            grads,
            scale,
            weight: 1.0,
        }
    }

    /// Unscaling divides by this as well, with the same division: the weights of a sum, for its mean.
    pub fn over(self, weight: impl Into<f64>) -> Self {
        let weight = weight.into();
        Self { weight, ..self }
    }

    /// What the gradients are multiplied by.
    #[must_use]
    pub fn scale(&self) -> f32 {
        self.scale
    }

    fn divisor(&self) -> f64 {
        f64::from(self.scale) * self.weight
    }

    /// How many parameters have a gradient.
    #[must_use]
    pub fn len(&self) -> usize {
        self.grads.len()
    }

    /// Whether no parameter has a gradient.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.grads.is_empty()
    }

    /// The sum with those of another micro-batch, for the parameters of `model`: in f32 at least, and at this scale and
    /// [over](Self::over) this weight, should the other have others.
    pub fn add<M: Module>(self, other: Self, model: &M) -> Self {
        let mut sum = Sum {
            ratio: self.divisor() / other.divisor(),
            left: self.grads,
            right: other.grads,
            total: GradientsParams::new(),
        };
        model.visit(&mut sum);
        Self::from_grads(sum.total, self.scale).over(self.weight)
    }

    /// Splits off those of the parameters of `module`, where several optimizers train parts of what one loss depends
    /// on. Each takes its part to [`GradScaler::unscale`](super::GradScaler::unscale).
    ///
    /// ```
    /// use burn::nn::LinearConfig;
    /// use burn::tensor::{Device, Tensor};
    /// use remat::amp::GradScaler;
    ///
    /// let device = Device::flex().autodiff();
    /// let encoder = LinearConfig::new(2, 3).init(&device);
    /// let decoder = LinearConfig::new(3, 2).init(&device);
    /// let code = encoder.forward(Tensor::<2>::ones([1, 2], &device));
    /// let loss = decoder.forward(code).sum();
    ///
    /// let mut scaler = GradScaler::default();
    /// let both = (encoder.clone(), decoder.clone());
    /// let mut of_decoder = scaler.backward(loss, &both).unwrap();
    /// let of_encoder = of_decoder.split_off(&encoder);
    ///
    /// assert_eq!(scaler.unscale(of_encoder, &encoder).unwrap().len(), 2);
    /// assert_eq!(scaler.unscale(of_decoder, &decoder).unwrap().len(), 2);
    /// scaler.update(); // once, for both
    /// ```
    pub fn split_off<M: Module>(&mut self, module: &M) -> Self {
        let mut part = Part {
            from: &mut self.grads,
            to: GradientsParams::new(),
        };
        module.visit(&mut part);
        Self::from_grads(part.to, self.scale).over(self.weight)
    }
}

/// At least f32: sums, and what is divided, need its range.
pub(crate) fn widened<const D: usize>(gradient: Tensor<D>) -> Tensor<D> {
    if is_low(gradient.dtype()) {
        gradient.cast(FloatDType::F32)
    } else {
        gradient
    }
}

struct Sum {
    left: GradientsParams,
    right: GradientsParams,
    /// What brings the right to the left's divisor.
    ratio: f64,
    total: GradientsParams,
}

impl ModuleVisitor for Sum {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let left = self.left.remove::<D>(param.id).map(widened);
        let right = self.right.remove::<D>(param.id).map(widened);
        let right = if self.ratio == 1.0 {
            right
        } else {
            right.map(|right| right * self.ratio)
        };
        let sum = match (left, right) {
            (Some(left), Some(right)) => left + right,
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return,
        };
        self.total.register(param.id, sum);
    }
}

struct Part<'a> {
    from: &'a mut GradientsParams,
    to: GradientsParams,
}

impl ModuleVisitor for Part<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = self.from.remove::<D>(param.id) {
            self.to.register(param.id, gradient);
        }
    }
}
