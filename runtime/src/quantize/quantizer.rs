//! The options.

use super::device::Words;
use super::host::Payload;
use super::quantized::{Form, Quantized};
use super::width::Width;
use crate::host::{Elements, on_elements, with_elements};
use crate::tape::reads_wait;
use burn::tensor::Tensor;
use std::sync::Arc;

/// How values between two steps become one of them.
///
/// ```
/// use remat::quantize::{Quantizer, Rounding};
///
/// let quantizer = Quantizer::bits(8).rounding(Rounding::Nearest);
/// assert_ne!(quantizer, Quantizer::bits(8)); // stochastic by default
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the step below or above, each with the probability that makes the value the mean of the two.
    ///
    /// A gradient that is computed from such values is right on average, so training is not led astray by a bias. An
    /// element's mean deviates by at most 2⁻²⁰ of the range of its group (f32 itself has 2⁻²⁴).
    #[default]
    Stochastic,
    /// To the nearest step: half the error of a single value, but the same error each time.
    Nearest,
}

/// Stores tensors in 8, 4 or 2 bits an element.
///
/// The elements, in the order of the tensor (last dimension first), are cut into groups. Each group has its own steps,
/// `min + code × scale` with `scale = (max − min) / (2^bits − 1)`, and each element is the code of one.
///
/// * **Error**: at most one step of the group, in expectation none ([`Rounding::Stochastic`]); half a step with
///   [`Rounding::Nearest`]. (Plus what f32 rounds.)
/// * **Exact**: the minimum and, but for f32's last bit, the maximum of a group; so a constant group, and the zeros of a
///   group without negative values, such as those after a `relu`. In groups with values on both sides, zeros are
///   rounded as all others are.
/// * **Infinity and NaN**: a group with such a value stays as it is, so that an overflow is seen. So does one whose range
///   is above 2¹²⁷. (On a GPU, which would have to be waited for, all elements of such a group become NaN.)
/// * **Bytes**: of a group of 256 f32 with 8, 4, 2 bits: 264, 136 and 72 of 1024 (3.9, 7.5 and 14.2 times smaller). Two f32
///   of a group are its steps.
/// * **Again**: the same tensor and seed give the same bits, on all backends that divide as IEEE 754 has it. Values that
///   are on their group's steps stay there.
/// * f16 and bf16 are computed in f32; so is f64, whose groups stay as they are if their values are out of f32's range.
///   A range below 2⁻⁸⁰ counts as 2⁻⁸⁰.
/// * **Time**: on the CPU, a few passes over the elements, on all cores; nothing is copied, unless the tensor is a view
///   whose elements are not in order. On a GPU, some tens of element-wise operations.
///
/// Quantizing activations in groups with stochastic rounding is due to `ActNN` (Chen et al., *`ActNN`: Reducing Training
/// Memory Footprint via 2-Bit Activation Compressed Training*, 2021) and GACT (Liu et al., *GACT: Activation Compressed
/// Training for Generic Network Architectures*, 2022).
///
/// ```
/// use burn::tensor::{Device, Distribution, Tensor};
/// use remat::quantize::Quantizer;
///
/// const QUANTIZER: Quantizer = Quantizer::bits(4);
///
/// let device = Device::flex();
/// let x = Tensor::<3>::random([8, 32, 100], Distribution::Default, &device);
/// let quantized = QUANTIZER.quantize(x.clone(), 1);
/// let y = quantized.dequantize::<3>();
///
/// assert_eq!(quantized.bytes(), 100 * (128 + 8)); // instead of 102400
/// let error = (x - y).abs().max().into_scalar::<f32>();
/// assert!(error <= 1.0 / 15.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quantizer {
    pub(super) width: Width,
    pub(super) group: usize,
    pub(super) rounding: Rounding,
}

impl Quantizer {
    /// A quantizer to 8, 4 or 2 bits an element, with groups of 256 elements and stochastic rounding.
    ///
    /// # Panics
    ///
    /// If there are other bits: when compiling, in a constant.
    ///
    /// ```compile_fail
    /// const THREE: remat::quantize::Quantizer = remat::quantize::Quantizer::bits(3);
    /// ```
    #[must_use]
    pub const fn bits(bits: u32) -> Self {
        assert!(
            bits != 1,
            "remat: an element is quantized to 8, 4 or 2 bits; for one bit, see `SignMask`"
        );
        Self {
            width: Width::new(bits),
            group: 256,
            rounding: Rounding::Stochastic,
        }
    }

    /// The number of elements that share their steps, a multiple of 16.
    ///
    /// Each group takes 8 bytes for its steps. Larger groups have larger steps, if the values differ more.
    ///
    /// # Panics
    ///
    /// If it is none: when compiling, in a constant.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::quantize::Quantizer;
    ///
    /// const FINE: Quantizer = Quantizer::bits(2).group(64);
    ///
    /// let x = Tensor::<1>::ones([128], &Device::flex());
    /// assert_eq!(FINE.quantize(x, 0).bytes(), 2 * (16 + 8));
    /// ```
    #[must_use]
    pub const fn group(self, elements: usize) -> Self {
        assert!(
            elements > 0 && elements.is_multiple_of(16),
            "remat: a group of elements that are quantized together is a multiple of 16"
        );
        Self {
            group: elements,
            ..self
        }
    }

    /// How values between two steps are rounded.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::quantize::{Quantizer, Rounding};
    ///
    /// let x = Tensor::<1>::from_data([0.0, 0.9, 2.2, 3.0], &Device::flex());
    /// let quantizer = Quantizer::bits(2).rounding(Rounding::Nearest);
    /// let y = quantizer.quantize(x, 0).dequantize::<1>();
    /// assert_eq!(y.into_data().to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0, 3.0]);
    /// ```
    #[must_use]
    pub const fn rounding(self, rounding: Rounding) -> Self {
        Self { rounding, ..self }
    }

    /// Whether it needs a seed.
    pub(crate) fn draws(self) -> bool {
        self.rounding == Rounding::Stochastic
    }

    /// Quantizes a tensor of any shape and float type; its place in a graph is not kept.
    ///
    /// The seed is for stochastic rounding: with the same one, tensors with the same values get the same bits. So give each
    /// tensor and each step another, or their errors do not average out. It is not taken from the device's random number
    /// generator, which is left alone. Rounding is independent for 2³² elements;
    /// larger tensors use the same numbers again.
    ///
    /// ```
    /// use burn::tensor::{Device, Distribution, Tensor};
    /// use remat::quantize::Quantizer;
    ///
    /// let x = Tensor::<2>::random([16, 16], Distribution::Default, &Device::flex());
    /// let values = |seed| Quantizer::bits(2).quantize(x.clone(), seed).dequantize::<2>().into_data();
    /// assert_eq!(values(1), values(1));
    /// assert_ne!(values(1), values(2));
    /// ```
    #[must_use]
    pub fn quantize<const D: usize>(self, tensor: Tensor<D>, seed: u64) -> Quantized {
        let tensor = tensor.inner();
        Quantized {
            shape: tensor.shape(),
            dtype: tensor.dtype(),
            device: tensor.device(),
            form: self.form(tensor, seed),
        }
    }

    fn form<const D: usize>(self, tensor: Tensor<D>, seed: u64) -> Form {
        if tensor.shape().num_elements() == 0 {
            return Form::Empty;
        }
        if reads_wait(&tensor.device()) {
            return self.on_device(tensor, seed);
        }
        on_elements!(
            tensor.dtype(),
            E => self.on_host::<E, D>(tensor, seed),
            _ => self.on_device(tensor, seed)
        )
    }

    pub(super) fn on_host<E: Elements, const D: usize>(self, x: Tensor<D>, seed: u64) -> Form {
        let payload = with_elements(x, |elements: &[E]| Payload::encode(elements, self, seed));
        Form::Host(Arc::new(payload))
    }

    pub(super) fn on_device<const D: usize>(self, x: Tensor<D>, seed: u64) -> Form {
        Form::Device(Box::new(Words::encode(x, self, seed)))
    }
}
