//! What is known of gradients that are not finite.

use super::Place;
use crate::reads;
use burn::module::{Module, ModuleVisitor, Param, ParamId};
use burn::optim::GradientsParams;
use burn::tensor::{Tensor, TensorData};
use std::fmt;

/// Gradients were infinite or NaN, so there is nothing to train with: leave out this step.
///
/// Now and then that is normal: it is how a [`GradScaler`](super::GradScaler) finds the largest scale. At
/// [the least scale](Overflow::at_min_scale), or with NaN in every iteration, the model itself overflows.
///
/// ```
/// use burn::nn::LinearConfig;
/// use burn::tensor::{Device, Tensor};
/// use remat::amp::GradScaler;
///
/// let device = Device::flex().autodiff();
/// let model = LinearConfig::new(2, 1).with_bias(false).init(&device);
/// let x = Tensor::<2>::from_floats([[1.0, f32::INFINITY]], &device);
///
/// let mut scaler = GradScaler::default();
/// let scaled = scaler.backward(model.forward(x).sum(), &model).unwrap();
/// let overflow = scaler.unscale(scaled, &model).unwrap_err();
/// assert_eq!(
///     overflow.to_string(),
///     "gradients overflow at a loss scale of 65536: of `weight`, 1 of 2 elements are infinite and 0 are NaN"
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Overflow {
    scale: f32,
    parameter: Option<NonFinite>,
    affected: usize,
    at_min_scale: bool,
}

/// The gradient of a parameter, some elements of which are not finite: [`Overflow::parameter`].
///
/// ```
/// use remat::amp::NonFinite;
///
/// let path = "blocks.0.up.weight".to_owned();
/// let report = NonFinite { path, infinite: 2, nan: 0, elements: 64 };
/// assert_eq!(report.to_string(), "`blocks.0.up.weight`, 2 of 64 elements are infinite and 0 are NaN");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonFinite {
    /// The parameter's path in the module, such as `blocks.0.up.weight`.
    pub path: String,
    /// How many elements are infinite.
    pub infinite: usize,
    /// How many elements are NaN.
    pub nan: usize,
    /// How many elements there are.
    pub elements: usize,
}

impl Overflow {
    pub(super) fn new(scale: f32, parameter: Option<NonFinite>, affected: usize) -> Self {
        Self {
            scale,
            parameter,
            affected,
            at_min_scale: false,
        }
    }

    pub(super) fn at_scale_of_at_most(self, min_scale: f32) -> Self {
        let at_min_scale = self.scale <= min_scale;
        Self {
            at_min_scale,
            ..self
        }
    }

    /// The scale of the gradients.
    #[must_use]
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Whether the scale was the least one already: it stays there, and a smaller scale is not what helps. Stop the
    /// training if it goes on.
    #[must_use]
    pub fn at_min_scale(&self) -> bool {
        self.at_min_scale
    }

    /// The first parameter, in the order of the module, with a gradient that is not finite.
    #[must_use]
    pub fn parameter(&self) -> Option<&NonFinite> {
        self.parameter.as_ref()
    }

    /// How many parameters have such a gradient.
    #[must_use]
    pub fn affected(&self) -> usize {
        self.affected
    }
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gradients overflow at a loss scale of {}", self.scale)?;
        if let Some(parameter) = &self.parameter {
            write!(f, ": of {parameter}")?;
        }
        if self.affected > 1 {
            write!(f, "; {} parameters in all", self.affected)?;
        }
        if self.at_min_scale {
            write!(
                f,
                ". The scale cannot become less: look for what is not finite in the model, its inputs or its loss"
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for Overflow {}

impl fmt::Display for NonFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            infinite,
            nan,
            elements,
        } = self;
        write!(
            f,
            "`{path}`, {infinite} of {elements} elements are infinite and {nan} are NaN"
        )
    }
}

/// Looks for a parameter's path, and at its gradient. This is only done once something is not finite.
pub(super) fn describe<M: Module>(
    grads: &GradientsParams,
    param: ParamId,
    model: &M,
) -> Option<NonFinite> {
    let mut describe = Describe {
        grads,
        param,
        place: Place::default(),
        found: None,
    };
    model.visit(&mut describe);
    describe.found
}

struct Describe<'a> {
    grads: &'a GradientsParams,
    param: ParamId,
    place: Place,
    found: Option<NonFinite>,
}

impl ModuleVisitor for Describe<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if param.id != self.param || self.found.is_some() {
            return;
        }
        let gradient = self.grads.get::<D>(param.id).map(reads::one);
        self.found = gradient.map(|gradient| count(self.place.name(), &gradient));
    }

    fn enter_module(&mut self, name: &str, container: &str) {
        self.place.enter(name, container);
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.place.exit();
    }
}

fn count(path: String, gradient: &TensorData) -> NonFinite {
    let of = |is: fn(f64) -> bool| gradient.iter::<f64>().filter(|x| is(*x)).count();
    NonFinite {
        path,
        infinite: of(f64::is_infinite),
        nan: of(f64::is_nan),
        elements: gradient.num_elements(),
    }
}
