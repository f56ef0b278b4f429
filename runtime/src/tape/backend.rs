//! From a tensor whose backend is known at run time to the backend's own types, and back.

use burn::backend::tensor::FloatTensor;
use burn::backend::{
    AutodiffBackend, Backend, BackendTensor, DispatchAutodiffContext, DispatchKindConversion,
    DispatchTensor, DispatchTensorKind, TensorMetadata, autodiff::Autodiff,
    autodiff::ops::NodeGuard,
};
use burn::tensor::{Device, GradientCheckpointingStrategy, Tensor};

/// A float tensor of `Autodiff<B>`: the type is the same for each of burn's checkpointing
/// strategies, which is only a tag of the dispatched tensor.
pub(super) type Tracked<B> = FloatTensor<Autodiff<B>>;

/// The backends burn dispatches to.
pub(super) trait Routed: Backend {
    fn plain(tensor: DispatchTensor) -> FloatTensor<Self>;
    fn tracked(tensor: DispatchTensor) -> Tracked<Self>;
    fn wrap_plain(tensor: FloatTensor<Self>) -> DispatchTensor;
    fn wrap_tracked(
        tensor: Tracked<Self>,
        strategy: GradientCheckpointingStrategy,
    ) -> DispatchTensor;
}

impl<B: Backend> Routed for B
where
    DispatchTensor: DispatchKindConversion<B> + DispatchKindConversion<Autodiff<B>>,
{
    fn plain(tensor: DispatchTensor) -> FloatTensor<B> {
        convert::<B>(tensor)
    }

    fn tracked(mut tensor: DispatchTensor) -> Tracked<B> {
        tensor.autodiff = DispatchAutodiffContext::Enabled(GradientCheckpointingStrategy::Disabled);
        convert::<Autodiff<B>>(tensor)
    }

    fn wrap_plain(tensor: FloatTensor<B>) -> DispatchTensor {
        <DispatchTensor as DispatchKindConversion<B>>::from_backend(BackendTensor::Float(tensor))
    }

    fn wrap_tracked(tensor: Tracked<B>, strategy: GradientCheckpointingStrategy) -> DispatchTensor {
        let mut tensor = <DispatchTensor as DispatchKindConversion<Autodiff<B>>>::from_backend(
            BackendTensor::Float(tensor),
        );
        tensor.autodiff = DispatchAutodiffContext::Enabled(strategy);
        tensor
    }
}

fn convert<B: Backend>(tensor: DispatchTensor) -> FloatTensor<B>
where
    DispatchTensor: DispatchKindConversion<B>,
{
    <DispatchTensor as DispatchKindConversion<B>>::try_into_backend(tensor)
        .unwrap_or_else(|mismatch| panic!("remat: tensors of two backends met: {mismatch}"))
        .float()
}

/// Runs the expression with `$B` as the tensor's backend (the inner one, for a tracked tensor).
macro_rules! on_backend {
    ($tensor:expr, $B:ident => $body:expr) => {{
        let tensor: &::burn::backend::DispatchTensor = $tensor;
        match $crate::tape::backend::inner_kind(tensor) {
            #[cfg(feature = "flex")]
            ::burn::backend::DispatchTensorKind::Flex(_) => {
                type $B = ::burn::backend::Flex;
                $body
            }
            #[cfg(feature = "ndarray")]
            ::burn::backend::DispatchTensorKind::NdArray(_) => {
                type $B = ::burn::backend::NdArray;
                $body
            }
            #[cfg(feature = "tch")]
            ::burn::backend::DispatchTensorKind::LibTorch(_) => {
                type $B = ::burn::backend::LibTorch;
                $body
            }
            #[cfg(feature = "remote")]
            ::burn::backend::DispatchTensorKind::Remote(_) => {
                type $B = ::burn::backend::Remote;
                $body
            }
            #[cfg(cube)]
            ::burn::backend::DispatchTensorKind::Cube(_) => {
                type $B = ::burn::backend::Cube;
                $body
            }
            #[allow(unreachable_patterns)]
            _ => $crate::tape::backend::feature_is_off(tensor),
        }
    }};
}
pub(super) use on_backend;

#[allow(
    clippy::match_wildcard_for_single_variants,
    reason = "there are others with other features"
)]
pub(super) fn inner_kind(tensor: &DispatchTensor) -> &DispatchTensorKind {
    match &tensor.kind {
        DispatchTensorKind::Autodiff(inner) => inner,
        kind => kind,
    }
}

/// burn dispatches to a backend that this build of remat was not told of.
#[cold]
pub(super) fn feature_is_off(tensor: &DispatchTensor) -> ! {
    let device = inner_kind(tensor).device();
    panic!("{}", advice(&format!("{device:?}")));
}

fn advice(device: &str) -> String {
    let feature = match device.split(['(', ' ', '{']).next().unwrap_or_default() {
        "Flex" => "`flex`",
        "NdArray" => "`ndarray`",
        "LibTorch" => "`tch`",
        "Remote" => "`remote`",
        "Cube" => {
            "`wgpu` (or `vulkan`, `metal`, `webgpu`, `cuda`, `rocm`, `cpu`: the one burn has)"
        }
        _ => "of its backend",
    };
    format!(
        "remat: a tensor lives on {device}, but remat was built without the feature {feature}. \
         Name the same backend features for `remat` as for `burn` in Cargo.toml."
    )
}

/// A guard that keeps the tensor's node in the graph until a child is recorded.
pub(super) fn guard(tensor: &DispatchTensor) -> NodeGuard {
    on_backend!(tensor, B => <B as Routed>::tracked(tensor.clone()).node())
}

/// An untracked tensor of the autodiff backend: a node that is no one's parent.
pub(super) fn untracked<B: Backend>(value: FloatTensor<B>) -> Tracked<B> {
    <Autodiff<B> as AutodiffBackend>::from_inner(value)
}

/// Whether reading a value of this device waits for queued work.
pub(crate) fn reads_wait(device: &Device) -> bool {
    #[allow(unreachable_patterns)]
    match device.clone().without_autodiff().as_dispatch() {
        #[cfg(feature = "flex")]
        burn::backend::DispatchDevice::Flex(_) => false,
        #[cfg(feature = "ndarray")]
        burn::backend::DispatchDevice::NdArray(_) => false,
        _ => true,
    }
}

/// Whether somebody else holds the tensor's buffer, so that it cannot be overwritten: `false` also where the backend does
/// not tell.
pub(crate) fn is_shared<const D: usize>(tensor: &Tensor<D>) -> bool {
    #[allow(unreachable_patterns)]
    match tensor.device().without_autodiff().as_dispatch() {
        #[cfg(feature = "ndarray")]
        burn::backend::DispatchDevice::NdArray(_) => false,
        #[cfg(feature = "remote")]
        burn::backend::DispatchDevice::Remote(_) => false,
        _ => !tensor.can_mut(),
    }
}

#[cfg(test)]
mod tests {
    use super::advice;

    #[test]
    fn advice_names_the_feature_of_each_backend() {
        for (device, feature) in [
            ("Flex(FlexDevice)", "`flex`"),
            ("NdArray(Cpu)", "`ndarray`"),
            ("LibTorch(Cpu)", "`tch`"),
            ("Cube(WgpuDevice)", "`wgpu`"),
        ] {
            let advice = advice(device);
            assert!(advice.contains(feature), "{advice}");
            assert!(advice.contains(device), "{advice}");
        }
    }
}
