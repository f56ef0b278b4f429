//! Dropout whose mask is regenerated.

mod mask;

pub(crate) use mask::Mask;

use crate::strategy::IgnoresValue;
use crate::strategy::inplace::{InplaceActivation, Overwritten};
use crate::tape::{Parent, record};
use burn::config::Config;
use burn::module::{Content, DisplaySettings, Flag, Module, ModuleDisplay, Param};
use burn::tensor::Tensor;

/// Configuration of a [`Dropout`]: the same as burn's.
///
/// ```
/// use remat::nn::DropoutConfig;
///
/// let dropout = DropoutConfig::new(0.1).init();
/// assert_eq!(dropout.prob, 0.1);
/// ```
#[derive(Config, Debug)]
pub struct DropoutConfig {
    /// The probability that an element is dropped, in `[0, 1)`.
    pub prob: f64,
}

impl DropoutConfig {
    /// A new layer.
    ///
    /// # Panics
    ///
    /// If the probability is not in `[0, 1)`.
    #[must_use]
    pub fn init(&self) -> Dropout {
        assert!(
            (0.0..1.0).contains(&self.prob),
            "the probability of dropout must be in the range [0, 1), but it is {}",
            self.prob
        );
        Dropout {
            prob: self.prob,
            training: Param::from_bool(true),
        }
    }
}

/// Dropout that keeps nothing for its gradient: elements become 0 with probability `prob`, the others are multiplied by
/// `1 / (1 - prob)`.
///
/// It takes the place of [burn's](burn::nn::Dropout), which keeps its mask, a tensor of the size of its input: same
/// fields, same records, active under the same conditions (in training, on a device with autodiff, unless frozen). Here the
/// mask is a function of a seed and of the index of each element, and is computed again in the backward pass.
///
/// * `device.seed(s)` repeats a run, as with burn's own layers. Masks are the same on every backend, and the same whether
///   the layer is in a [checkpoint](crate::checkpoint()) or not, as long as nothing else draws random numbers from the
///   device, or seeds it inside of a segment. Each call has a mask of its own; each thread counts its own.
/// * It draws no random numbers from the device inside of a segment, so it may be part of one that is
///   [`deterministic`](crate::Checkpoint::deterministic).
/// * A dropped element is 0, also if it was infinite or NaN.
/// * Time: on the CPU, one pass over the elements forward and one backward, in place where burn lets it. On a GPU,
///   some twenty element-wise operations, which are fused to one kernel with burn's `fusion`.
///
/// The hash has 32 bits: probabilities are rounded to a multiple of 2⁻³², and a tensor of more than 2³² elements
/// repeats its mask.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::nn::DropoutConfig;
///
/// let device = Device::flex().autodiff();
/// device.seed(1);
/// let dropout = DropoutConfig::new(0.5).init();
/// let x = Tensor::<1>::ones([8], &device).require_grad();
///
/// let y = dropout.forward(x.clone());
/// let gradient = x.grad(&y.clone().sum().backward()).unwrap();
/// assert_eq!(gradient.to_data(), y.inner().to_data()); // each 0 or 2
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct Dropout {
    /// The probability that an element is dropped, in `[0, 1)`.
    pub prob: f64,
    /// Whether to behave as in training; cleared by [`freeze`](burn::module::Module::freeze).
    pub training: Param<Flag>,
}

impl Dropout {
    /// Drops elements of a tensor of any shape.
    ///
    /// # Panics
    ///
    /// If remat was built without the feature of the tensor's backend.
    #[must_use]
    pub fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        let Some(mask) = self.mask(&x) else { return x };
        let strategy = x.gradient_checkpointing_strategy().unwrap_or_default();
        let Some(parent) = Parent::of(&x) else {
            let y = Tensor::from_inner(mask.apply(x.inner()));
            return y.with_gradient_checkpointing_strategy(strategy);
        };
        let y = mask.apply(x.inner());
        let mut node = record(vec![parent], move |mut outputs, parents| {
            if let Some(gradient) = outputs.take(0) {
                parents.set(0, mask.apply::<D>(gradient));
            }
        });
        node.output(y)
    }

    /// The mask for a tensor, if the layer is active there.
    pub(crate) fn mask<const D: usize>(&self, x: &Tensor<D>) -> Option<Mask> {
        if x.is_autodiff() {
            self.next_mask(x)
        } else {
            None
        }
    }

    /// The mask for a tensor of a training step.
    fn next_mask<const D: usize>(&self, x: &Tensor<D>) -> Option<Mask> {
        let active = self.prob > 0.0 && self.training.is_enabled();
        active.then(|| Mask::next(self.prob, &x.device()))
    }
}

impl<const D: usize> IgnoresValue<D> for Dropout {
    fn forward(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }
}

impl InplaceActivation for Dropout {
    const KEEPS_OUTPUT: bool = false;

    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        self.forward(x)
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        match self.next_mask(&x) {
            Some(mask) => Overwritten::new(mask.apply(x), move |gradient| mask.apply(gradient)),
            None => Overwritten::new(x, |gradient| gradient),
        }
    }
}

impl ModuleDisplay for Dropout {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        DisplaySettings::new()
            .with_new_line_after_attribute(false)
            .optional()
    }

    fn custom_content(&self, content: Content) -> Option<Content> {
        let content = content.add("prob", &self.prob);
        if self.training.is_enabled() {
            content.optional()
        } else {
            content.add("training", &self.training).optional()
        }
    }
}
