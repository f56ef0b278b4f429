//! `#[recompute(cheap)]`: the output is not kept, and computed again when a consumer asks.

mod later;
mod options;

pub use options::Recompute;

use super::Layer;
use super::casting::{Autocast, in_precision};
use super::compression::approximating;
use super::off::strategies_are_off;
use super::segment::{FloatOutput, Run, has_gradient, run_untracked, tracked};
use crate::tape::{MOST_INPUTS, Node, SavedAs, Values, record};
use crate::tree::{TensorMapper, TensorTree};
use burn::backend::DispatchTensor;
use burn::tensor::Tensor;
use later::Later;
use std::sync::Arc;

/// Runs `forward`, and keeps neither its output nor what the layers inside save. Operations that consume
/// the output, and would keep it for their gradients, get it from a second run when their backward step
/// asks for it; the gradient of `forward` itself comes from the same second run.
///
/// For layers that are cheap to run and whose output is large: normalisation, activations, pooling. The
/// input is kept, unless it is such an output itself. `#[recompute(cheap)]` on a field writes this call for
/// you.
///
/// * Outputs, gradients, random numbers and module state are those of
///   [`checkpoint`](crate::checkpoint()), with the same limits: the order of sums of leaves, and "What to know"
///   there.
/// * Time: `forward` once more.
///
/// ```
/// use burn::nn::{Gelu, LinearConfig};
/// use burn::tensor::{Device, Tensor};
///
/// let device = Device::flex().autodiff();
/// let down = LinearConfig::new(8, 4).init(&device);
/// let x = Tensor::<2>::ones([2, 8], &device).require_grad();
///
/// let h = remat::recompute(&Gelu::new(), (x.clone(),), |gelu, (x,)| gelu.forward(x));
/// let y = down.forward(h); // keeps `x` for its weight's gradient, not `h`
/// let grads = y.sum().backward();
/// assert!(down.weight.val().grad(&grads).is_some());
/// ```
///
/// # Panics
///
/// As [`checkpoint`](crate::checkpoint()), and if there are more than 15 tracked tensors among the inputs.
pub fn recompute<M, I, O>(module: &M, inputs: I, forward: fn(&M, I) -> O) -> O
where
    M: Layer,
    I: TensorTree + Send + 'static,
    O: TensorTree + Send + 'static,
{
    recompute_with(Recompute::new(), module, inputs, forward)
}

/// [`recompute`] with a name for messages and other options.
///
/// ```
/// use burn::{nn::LayerNormConfig, tensor::{Device, Tensor}};
/// use remat::Recompute;
///
/// let device = Device::flex().autodiff();
/// let norm = LayerNormConfig::new(4).init(&device);
/// let x = Tensor::<2>::ones([1, 4], &device);
///
/// let options = Recompute::named("Block.norm").deterministic();
/// let y = remat::recompute_with(options, &norm, (x,), |norm, (x,)| norm.forward(x));
/// assert!(y.is_tracked());
/// ```
///
/// # Panics
///
/// As [`recompute`].
pub fn recompute_with<M, I, O>(
    options: Recompute,
    module: &M,
    inputs: I,
    forward: fn(&M, I) -> O,
) -> O
where
    M: Layer,
    I: TensorTree + Send + 'static,
    O: TensorTree + Send + 'static,
{
    let casting = options.0.casting();
    // What is kept is the input of the segment: a cast to 16 bits comes before it, one to f32 behind.
    let (outside, inside) = match casting {
        Some(casting) if casting.precision().is_low() => (Some(casting), None),
        casting => (None, casting),
    };
    in_precision(outside, module, inputs, |module, inputs| {
        run(options, inside, module, inputs, forward)
    })
}

fn run<M, I, O>(
    options: Recompute,
    casting: Option<Autocast>,
    module: &M,
    inputs: I,
    forward: fn(&M, I) -> O,
) -> O
where
    M: Layer,
    I: TensorTree + Send + 'static,
    O: TensorTree + Send + 'static,
{
    let call = move |modules: &[M], inputs| in_precision(casting, &modules[0], inputs, forward);
    let inputs = match options.0.compression() {
        Some(compression) if !strategies_are_off() => compression.tree(&inputs),
        _ => inputs,
    };
    let inputs_of_caller = tracked(&inputs);
    let options = options.0.without_compression();
    let (mut segment, outputs, parents) =
        match run_untracked(options, std::slice::from_ref(module), inputs, call) {
            Run::Plain(outputs) => return outputs,
            Run::Segment {
                segment,
                outputs,
                parents,
            } => (segment, outputs, parents),
        };
    if inputs_of_caller.len() > MOST_INPUTS {
        options.label::<M>().fail(format_args!(
            "it has {} tracked tensors among its inputs, but at most {MOST_INPUTS} can be found again. Use \
             `#[checkpoint]`.",
            inputs_of_caller.len()
        ));
    }
    segment.inputs.forget();
    let approximate = segment.approximate;
    let later = Arc::new(Later::new(segment, call));
    let pullback = Arc::clone(&later);
    let mut node = record(parents, move |cotangents, parents| {
        pullback.take().backward(cotangents, parents);
    });
    outputs.map_tensors(&mut SavedPorts {
        node: &mut node,
        inputs: inputs_of_caller,
        index: 0,
        approximate,
        unpack: &|index| {
            let later = Arc::clone(&later);
            Box::new(move |values| later.output(values, |outputs| FloatOutput::of(outputs, index)))
        },
    })
}

type Unpack = Box<dyn FnOnce(Values) -> DispatchTensor + Send>;

/// Makes every float output an output of the node that is computed again.
struct SavedPorts<'a> {
    node: &'a mut Node,
    inputs: Vec<DispatchTensor>,
    index: usize,
    /// What is computed again from approximate values is one itself.
    approximate: bool,
    unpack: &'a dyn Fn(usize) -> Unpack,
}

impl TensorMapper for SavedPorts<'_> {
    fn map_float<const D: usize>(&mut self, value: Tensor<D>) -> Tensor<D> {
        if !has_gradient(&value) {
            return value;
        }
        let unpack = (self.unpack)(self.index);
        self.index += 1;
        let inputs = self.inputs.clone();
        if !self.approximate {
            let saved = SavedAs::unpacked_from(inputs, unpack);
            return self.node.output_saved_as(value, saved);
        }
        let (unpack, marker) = approximating(unpack);
        let saved = SavedAs::unpacked_from(inputs, unpack);
        marker.mark(self.node.output_saved_as(value, saved))
    }
}
