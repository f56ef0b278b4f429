//! `#[frozen_stats]`: batch normalisation with the running statistics, in training.

use super::Layer;
use super::casting::{Autocast, in_precision};
use super::segment::{KeptInputs, Label, Options};
use crate::tree::{TensorTree, TensorVisitor};
use burn::module::{Flag, Module, ModuleMapper, Param};
use burn::tensor::{Bool, Device, Int, Tensor};

/// Options of [`frozen_stats_with`].
///
/// `#[derive(Remat)]` writes one such constant for every annotated field.
///
/// ```
/// use remat::FrozenStats;
///
/// const NORM: FrozenStats = FrozenStats::named("Block.norm").updating();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FrozenStats {
    options: Options,
    updating: bool,
}

impl Default for FrozenStats {
    fn default() -> Self {
        Self::new()
    }
}

impl FrozenStats {
    /// The statistics are used and stay as they are.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            options: Options::new("frozen_stats", None),
            updating: false,
        }
    }

    /// The same, with a name for messages, such as `"Block.norm"`.
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        Self {
            options: Options::new("frozen_stats", Some(name)),
            updating: false,
        }
    }

    /// The statistics are used, and then updated with those of the batch, as in plain training.
    ///
    /// Takes one more forward pass of the layer, which keeps nothing. For one `BatchNorm`, or a module with one
    /// inside.
    #[must_use]
    pub const fn updating(self) -> Self {
        Self {
            updating: true,
            ..self
        }
    }

    /// In a stream of 16 bits, an island in f32, as by [`autocast`](crate::autocast()). Stacking `#[autocast(f32)]` on
    /// `#[frozen_stats]` writes this.
    ///
    /// ```
    /// use remat::{Autocast, FrozenStats, amp::Precision};
    ///
    /// const NORM: FrozenStats = FrozenStats::named("Block.norm").autocast(Autocast::new(Precision::F32));
    /// ```
    ///
    /// # Panics
    ///
    /// If the options of the autocast compress inputs: when compiling, in a constant.
    #[must_use]
    pub const fn autocast(self, casting: Autocast) -> Self {
        Self {
            options: self.options.autocast(casting),
            ..self
        }
    }
}

/// Runs `forward` with every [`BatchNorm`](burn::nn::BatchNorm) in the module normalising with its running statistics,
/// also in training: `y = gamma (x - running_mean) / sqrt(running_var + epsilon) + beta`. `#[frozen_stats]` on a field
/// writes this call for you.
///
/// For fine-tuning with small batches, and for accumulating gradients over micro-batches: the result for one sample does
/// not depend on the others.
///
/// * The statistics are constants: the gradient of the input is `gamma / sqrt(running_var + epsilon)` times that of the
///   output, and nothing flows through mean and variance. They do not move, unless the options say
///   [`updating`](FrozenStats::updating).
/// * gamma and beta are trained. burn's [`freeze`](burn::module::Module::freeze) also uses the running statistics, but
///   freezes gamma and beta with them.
/// * All else in the module (dropout, say) stays in training mode. In inference this is the plain call.
/// * It is what the layer computes, not a way to compute it: [`without_strategies`](crate::without_strategies) does not
///   turn it off.
/// * Memory and time are those of burn's batch normalisation in inference: the normalised input is kept for
///   gamma's gradient.
///
/// ```
/// use burn::nn::BatchNormConfig;
/// use burn::tensor::{Device, Tensor};
///
/// let device = Device::flex().autodiff();
/// let norm = BatchNormConfig::new(2).init(&device); // running mean 0 and variance 1
/// let x = Tensor::<2>::from_floats([[1.0, 2.0], [3.0, 4.0]], &device).require_grad();
///
/// let y = remat::frozen_stats(&norm, (x.clone(),), |norm, (x,)| norm.forward(x));
/// let expected = x.clone() / 1.00001_f32.sqrt();
/// y.to_data().assert_approx_eq::<f32>(&expected.to_data(), burn::tensor::Tolerance::default());
///
/// let grads = y.sum().backward();
/// assert!(norm.gamma.val().grad(&grads).is_some());
/// let mean = norm.running_mean.value_sync();
/// assert_eq!(mean.to_data(), Tensor::<1>::zeros([2], &device).to_data());
/// ```
///
/// # Panics
///
/// If there is no batch normalisation in the module; or, with [`updating`](FrozenStats::updating), more than one.
pub fn frozen_stats<M, I, O>(module: &M, inputs: I, forward: fn(&M, I) -> O) -> O
where
    M: Layer,
    I: TensorTree,
    O: TensorTree,
{
    frozen_stats_with(FrozenStats::new(), module, inputs, forward)
}

/// [`frozen_stats`] with a name for messages and other options.
///
/// ```
/// use burn::{nn::BatchNormConfig, tensor::{Device, Tensor}};
/// use remat::FrozenStats;
///
/// let device = Device::flex().autodiff();
/// let norm = BatchNormConfig::new(1).init(&device);
/// let x = Tensor::<2>::ones([3, 1], &device);
///
/// let options = FrozenStats::named("Block.norm").updating();
/// let _ = remat::frozen_stats_with(options, &norm, (x,), |norm, (x,)| norm.forward(x));
/// let mean = norm.running_mean.value_sync().into_scalar::<f32>();
/// assert!((mean - 0.1).abs() < 1e-6); // momentum 0.1
/// ```
///
/// # Panics
///
/// As [`frozen_stats`].
pub fn frozen_stats_with<M, I, O>(
    options: FrozenStats,
    module: &M,
    inputs: I,
    forward: fn(&M, I) -> O,
) -> O
where
    M: Layer,
    I: TensorTree,
    O: TensorTree,
{
    let casting = options.options.casting();
    in_precision(casting, module, inputs, |module, inputs| {
        run(options, module, inputs, forward)
    })
}

fn run<M: Layer, I: TensorTree, O>(
    options: FrozenStats,
    module: &M,
    inputs: I,
    forward: fn(&M, I) -> O,
) -> O {
    let mut training = Training(module.devices().iter().any(Device::is_autodiff));
    inputs.visit_tensors(&mut training);
    if !training.0 {
        return forward(module, inputs);
    }
    let (frozen, norms) = with_frozen_stats(module);
    let batch = options.updating.then(|| KeptInputs::of(&inputs));
    options.check(norms, options.options.label::<M>());

    let outputs = forward(&frozen, inputs);
    if let Some(batch) = batch {
        // Clones share the statistics.
        let _ = forward(&module.clone().no_grad(), batch.constants());
    }
    outputs
}

/// The module with its batch normalisations normalising with their running statistics, and how many there are. It has
/// the same parameters and the same statistics.
pub(crate) fn with_frozen_stats<M: Module>(module: &M) -> (M, usize) {
    // Applies updates of the statistics that burn has put off: reading them does not.
    let _ = module.valid();
    let mut freeze = Freeze::default();
    let frozen = module.clone().map(&mut freeze);
    (frozen, freeze.norms)
}

impl FrozenStats {
    fn check(self, norms: usize, label: Label) {
        match norms {
            0 => label.fail(format_args!(
                "it contains no `BatchNorm`, so there are no running statistics."
            )),
            1 => {}
            _ if self.updating => label.fail(format_args!(
                "it contains {norms} batch normalisations. The statistics of one depend on how those before it \
                 normalise: say `update` at each of them."
            )),
            _ => {}
        }
    }
}

/// Whether anything is on a device with autodiff, where layers behave as in training: a parameter, or a tensor of any
/// kind (of token ids, an embedding makes floats).
struct Training(bool);

impl TensorVisitor for Training {
    fn visit_float<const D: usize>(&mut self, tensor: &Tensor<D>) {
        self.0 |= tensor.is_autodiff();
    }

    fn visit_int<const D: usize>(&mut self, tensor: &Tensor<D, Int>) {
        self.0 |= tensor.device().is_autodiff();
    }

    fn visit_bool<const D: usize>(&mut self, tensor: &Tensor<D, Bool>) {
        self.0 |= tensor.device().is_autodiff();
    }
}

/// Tells batch normalisations that they are not in training, and only them.
#[derive(Default)]
struct Freeze {
    /// Whether the field that is being visited is the flag of a batch normalisation; the innermost last.
    path: Vec<bool>,
    norms: usize,
}

impl ModuleMapper for Freeze {
    fn enter_module(&mut self, name: &str, container_type: &str) {
        self.path
            .push(container_type == "Struct:BatchNorm" && name == "training");
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn map_flag(&mut self, flag: Param<Flag>) -> Param<Flag> {
        if self.path.last() == Some(&true) {
            self.norms += 1;
            flag.with_value(false)
        } else {
            flag
        }
    }
}
