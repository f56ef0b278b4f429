//! A tensor that was quantized.

use super::device::Words;
use super::host::Payload;
use crate::host::{Elements, on_elements};
use burn::tensor::{DType, Device, Shape, Tensor, TensorData};
use std::fmt;
use std::sync::Arc;

/// A tensor in 8, 4 or 2 bits an element, made by a [`Quantizer`](super::Quantizer). Clones share its bytes.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::quantize::{Quantized, Quantizer};
///
/// let x = Tensor::<2>::ones([4, 4], &Device::flex());
/// let kept: Quantized = Quantizer::bits(8).quantize(x.clone(), 0);
/// assert_eq!(kept.dequantize::<2>().into_data(), x.into_data());
/// ```
#[derive(Clone)]
pub struct Quantized {
    pub(super) shape: Shape,
    pub(super) dtype: DType,
    pub(super) device: Device,
    pub(super) form: Form,
}

#[derive(Clone)]
pub(super) enum Form {
    Empty,
    Host(Arc<Payload>),
    Device(Box<Words>),
}

impl Quantized {
    /// A tensor of the original's shape, type and device, without a graph.
    ///
    /// # Panics
    ///
    /// If the original has another number of dimensions.
    ///
    /// ```
    /// use burn::tensor::{DType, Device, Tensor};
    /// use remat::quantize::Quantizer;
    ///
    /// let x = Tensor::<3>::zeros([2, 3, 5], (&Device::flex(), DType::F16));
    /// let y = Quantizer::bits(8).quantize(x, 0).dequantize::<3>();
    /// assert_eq!((y.dims(), y.dtype()), ([2, 3, 5], DType::F16));
    /// ```
    #[must_use]
    pub fn dequantize<const D: usize>(&self) -> Tensor<D> {
        let rank = self.shape.num_dims();
        assert!(
            rank == D,
            "remat: a tensor of {rank} dimensions was quantized, and one of {D} is asked for"
        );
        match &self.form {
            Form::Empty => Tensor::empty(self.shape.clone(), (&self.device, self.dtype)),
            Form::Host(payload) => self.on_host(payload),
            Form::Device(words) => words.decode(&self.shape, self.dtype),
        }
    }

    fn on_host<const D: usize>(&self, payload: &Payload) -> Tensor<D> {
        on_elements!(
            self.dtype,
            E => self.elements::<E, D>(payload),
            _ => self.elements::<f32, D>(payload)
        )
    }

    fn elements<E: Elements, const D: usize>(&self, payload: &Payload) -> Tensor<D> {
        let elements = payload.decode::<E>(self.shape.num_elements());
        let data = TensorData::new(elements, self.shape.clone());
        Tensor::from_data(data, (&self.device, self.dtype))
    }

    /// The bytes that it holds: codes, steps, and groups that stay as they are. Clones share them.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::quantize::Quantizer;
    ///
    /// let x = Tensor::<1>::ones([5], &Device::flex());
    /// assert_eq!(Quantizer::bits(4).quantize(x, 0).bytes(), 3 + 8);
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.form {
            Form::Empty => 0,
            Form::Host(payload) => payload.bytes(),
            Form::Device(words) => words.bytes(),
        }
    }
}

impl fmt::Debug for Quantized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Quantized")
            .field("shape", &self.shape)
            .field("dtype", &self.dtype)
            .field("device", &self.device)
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}
