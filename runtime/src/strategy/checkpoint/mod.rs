//! `#[checkpoint]`: keep only the inputs, run the layer again in the backward pass.

mod early_stop;
mod options;
mod rerun;
mod segments;
mod sequence;

pub use early_stop::{checkpoint_early_stop, checkpoint_sequence_early_stop};
pub use options::Checkpoint;
pub use segments::{Segments, TooManySegments};
pub use sequence::{CheckpointSequence, checkpoint_sequence, checkpoint_sequence_with};

use super::Layer;
use super::casting::in_precision;
use crate::tree::TensorTree;
use rerun::run;

/// Runs `forward` keeping only its inputs: what the layers inside save for their gradients is
/// dropped, and the backward pass runs `forward` again to get it back.
///
/// The closure gets the module and the inputs as arguments and must not capture anything else: as a
/// plain function it cannot bring in a local tensor whose gradient would be lost. `#[checkpoint]`
/// on a field writes this call for you.
///
/// * Outputs and loss are those of the plain call, to the bit, on a backend whose kernels give the
///   same bits each time. Where `forward` draws random numbers they are one more sample of the same
///   distribution, repeated exactly in the backward pass.
/// * Gradients too, but for the order of sums: where a leaf (a parameter, or an input that requires
///   gradients itself) collects three or more gradients, several of them from inside one segment and
///   others from outside (weights of an LSTM called in two segments), those inside are summed first, and
///   the last bits may round differently. Inputs that are results of operations are summed as in plain
///   burn if what else uses them comes later in the forward pass, as the sum of a residual block does.
/// * burn's module state (running statistics) moves once, as in one forward pass.
/// * If nothing is tracked — inference, a frozen module on constant inputs — it is the plain call.
/// * Memory: the inputs stay until the backward pass, plus one segment's activations while it is
///   run again. Time: the forward of the segment once more.
///
/// ```
/// use burn::nn::attention::{MhaInput, MultiHeadAttentionConfig};
/// use burn::tensor::{Device, Tensor};
///
/// let device = Device::flex().autodiff();
/// let attention = MultiHeadAttentionConfig::new(8, 2).init(&device);
/// let x = Tensor::<3>::ones([1, 4, 8], &device).require_grad();
///
/// let y = remat::checkpoint(&attention, (x.clone(),), |attention, (x,)| {
///     attention.forward(MhaInput::self_attn(x)).context
/// });
/// let grads = y.sum().backward();
/// assert_eq!(x.grad(&grads).unwrap().dims(), [1, 4, 8]);
/// ```
///
/// # What to know
///
/// * An input that takes no part in the outputs that reach the loss: if it is the result of an
///   operation, it gets a gradient of zeros, where plain burn would not visit it. So the branch it
///   comes from is consumed by this backward pass, its parameters get zeros (to which an optimizer
///   may add weight decay), and zeros times infinity are NaN. Pass `x.detach()` if that matters.
/// * A float output that depends on nothing tracked comes out tracked.
/// * What burn does not visit is not seen: a `#[module(skip)]` field must hold no tracked tensor
///   (used in an output, that is a panic; detached inside, a deadlock) and no state that a forward
///   pass moves (it would move twice).
/// * Layers of one segment that share running statistics (clones of one layer) each see their own, as they
///   were before the segment, when they run again: a layer that reads in training what another one has
///   updated gets other values (debug builds find that). burn's batch normalisation does not.
/// * burn draws the first values of a parameter when it is first used, and a segment sets the
///   generator in between: to start from the same values with and without annotations, let the
///   model draw them first (run it once [without strategies](crate::without_strategies)) or load a
///   record.
/// * burn's batch normalisation averages the updates of several threads; a segment applies the
///   pending ones when it starts.
/// * A layer that calls `device.seed` inside a segment seeds that segment only.
/// * Now and then a segment runs a tiny backward pass of its own, which makes burn forget what is
///   left of graphs that are dead.
/// * On a device with burn's own (balanced) checkpointing, it is off inside the second run.
///
/// # Threads
///
/// burn's random generators belong to the process, so segments of several threads take turns
/// (unless they are [`deterministic`](Checkpoint::deterministic)): inside a segment, do not wait
/// for another thread that runs one, or that runs remat's dropout. A thread that draws from the
/// device outside of any segment while another is inside one takes numbers from its stream: the
/// second run then has other masks and the gradient is wrong. Debug builds find that.
///
/// # Panics
///
/// In the forward pass: if it may draw random numbers (is not `deterministic`) inside one that is
/// [`deterministic`](Checkpoint::deterministic); if an output depends on a tracked tensor that is neither an input nor a
/// parameter; if a parameter is marked for burn's distributed gradients; if remat was built without
/// the feature of the tensors' backend.
///
/// In the backward pass: if the second run gives another number, shape or dtype of tensors than the
/// first, or (debug builds, or `REMAT_CHECK=1`) other values.
pub fn checkpoint<M, I, O>(module: &M, inputs: I, forward: fn(&M, I) -> O) -> O
where
    M: Layer,
    I: TensorTree + Send + 'static,
    O: TensorTree + 'static,
{
    checkpoint_with(Checkpoint::new(), module, inputs, forward)
}

/// [`checkpoint`] with a name for messages and other options.
///
/// ```
/// use burn::{nn::LinearConfig, tensor::{Device, Tensor}};
/// use remat::Checkpoint;
///
/// let device = Device::flex().autodiff();
/// let linear = LinearConfig::new(4, 4).init(&device);
/// let x = Tensor::<2>::ones([1, 4], &device);
///
/// let options = Checkpoint::named("Mlp.up").deterministic();
/// let y = remat::checkpoint_with(options, &linear, (x,), |linear, (x,)| linear.forward(x));
/// assert!(y.is_tracked());
/// ```
///
/// # Panics
///
/// As [`checkpoint`].
pub fn checkpoint_with<M, I, O>(
    options: Checkpoint,
    module: &M,
    inputs: I,
    forward: fn(&M, I) -> O,
) -> O
where
    M: Layer,
    I: TensorTree + Send + 'static,
    O: TensorTree + 'static,
{
    let casting = options.0.casting();
    let only = move |modules: &[M], inputs| in_precision(casting, &modules[0], inputs, forward);
    run(options, std::slice::from_ref(module), inputs, only, only)
}
