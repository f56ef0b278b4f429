//! One bit for each element.

use super::codec::{pack, packed_len, unpack};
use super::device::Mask;
use super::width::Width;
use crate::host::{Elements, in_parallel, on_elements, vectorised, with_elements};
use crate::tape::reads_wait;
use burn::tensor::{Shape, Tensor, TensorData};
use std::fmt;
use std::sync::Arc;

/// Where a tensor is above 0, in one bit an element: all that the gradient of a `relu` needs.
///
/// Clones share the bits. On a GPU, their number is rounded up to words of 32.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::quantize::SignMask;
///
/// let device = Device::flex();
/// let x = Tensor::<1>::from_data([-1.0, 0.0, 2.0], &device);
/// let mask = SignMask::of(x);
/// let gradient = Tensor::<1>::from_data([5.0, 6.0, 7.0], &device);
/// assert_eq!(mask.apply(gradient).into_data().to_vec::<f32>().unwrap(), [0.0, 0.0, 7.0]);
/// assert_eq!(mask.bytes(), 1);
/// ```
#[derive(Clone)]
pub struct SignMask {
    shape: Shape,
    form: Form,
}

#[derive(Clone)]
enum Form {
    Empty,
    Host(Arc<[u8]>),
    Device(Box<Mask>),
}

/// Elements that one thread does at a time.
const JOB: usize = 1 << 16;
const BIT: Width = Width::new(1);

impl SignMask {
    /// The mask of a tensor, which may be a `relu`'s input or its output: exactly the elements whose gradient burn's own
    /// `relu` lets through, NaN among them.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor, activation::relu};
    /// use remat::quantize::SignMask;
    ///
    /// let device = Device::flex();
    /// let x = Tensor::<1>::from_data([-1.0, f32::NAN, 2.0], &device);
    /// let ones = Tensor::<1>::ones([3], &device);
    /// let of_input = SignMask::of(x.clone()).apply(ones.clone());
    /// let of_output = SignMask::of(relu(x)).apply(ones);
    /// assert_eq!(of_input.to_data().to_vec::<f32>().unwrap(), [0.0, 1.0, 1.0]);
    /// assert_eq!(of_output.to_data(), of_input.to_data());
    /// ```
    #[must_use]
    pub fn of<const D: usize>(tensor: Tensor<D>) -> Self {
        let tensor = tensor.inner();
        Self {
            shape: tensor.shape(),
            form: Form::of(tensor),
        }
    }

    /// The gradient where the bit is set, and 0 elsewhere, also instead of infinity or NaN. Without a graph.
    ///
    /// # Panics
    ///
    /// If the gradient has another shape than the tensor.
    ///
    /// ```
    /// use burn::tensor::{DType, Device, Tensor};
    /// use remat::quantize::SignMask;
    ///
    /// let device = Device::flex();
    /// let mask = SignMask::of(Tensor::<1>::from_data([-1.0, 2.0], &device));
    /// // It may be of another type than the tensor.
    /// let gradient = Tensor::<1>::full([2], f32::INFINITY, (&device, DType::F16));
    /// let gradient = mask.apply(gradient).into_data();
    /// assert_eq!(gradient.iter::<f32>().collect::<Vec<_>>(), [0.0, f32::INFINITY]);
    /// ```
    #[must_use]
    pub fn apply<const D: usize>(&self, gradient: Tensor<D>) -> Tensor<D> {
        let (gradient, shape) = (gradient.inner(), &self.shape);
        let given = gradient.shape();
        assert!(
            given == *shape,
            "remat: the mask of a tensor of shape {shape} is applied to a gradient of shape {given}"
        );
        match &self.form {
            Form::Empty => gradient,
            Form::Host(bits) => on_host(bits, gradient),
            Form::Device(mask) => mask.apply(gradient),
        }
    }

    /// The bytes that it holds.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::quantize::SignMask;
    ///
    /// let x = Tensor::<2>::ones([10, 100], &Device::flex());
    /// assert_eq!(SignMask::of(x).bytes(), 125); // instead of 4000
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.form {
            Form::Empty => 0,
            Form::Host(bits) => bits.len(),
            Form::Device(mask) => mask.bytes(),
        }
    }
}

impl Form {
    fn of<const D: usize>(tensor: Tensor<D>) -> Self {
        if tensor.shape().num_elements() == 0 {
            return Self::Empty;
        }
        if reads_wait(&tensor.device()) {
            return Self::Device(Box::new(Mask::of(tensor)));
        }
        let bits = on_elements!(
            tensor.dtype(),
            E => with_elements(tensor, bits_of::<E>),
            _ => return Self::Device(Box::new(Mask::of(tensor)))
        );
        Self::Host(bits.into())
    }
}

fn bits_of<E: Elements>(elements: &[E]) -> Vec<u8> {
    let mut bits = vec![0; packed_len(elements.len(), BIT)];
    let jobs = elements
        .chunks(JOB)
        .zip(bits.chunks_mut(packed_len(JOB, BIT)));
    in_parallel(jobs.collect(), |(elements, bits)| {
        vectorised(
            #[inline(always)]
            move || {
                pack::<1, E>(
                    elements,
                    0,
                    bits,
                    #[inline(always)]
                    |element, _| u32::from(element.passes_relu()),
                );
            },
        );
    });
    bits
}

/// In place, if nobody else holds the gradient. It may be of another type than the tensor was.
fn on_host<const D: usize>(bits: &[u8], gradient: Tensor<D>) -> Tensor<D> {
    let (device, dtype) = (gradient.device(), gradient.dtype());
    let mut data = gradient.into_data();
    on_elements!(
        dtype,
        E => zero::<E>(bits, &mut data),
        _ => zero::<f32>(bits, &mut data)
    );
    Tensor::from_data(data, (&device, dtype))
}

fn zero<E: Elements>(bits: &[u8], gradient: &mut TensorData) {
    let gradient = gradient.as_mut_slice::<E>();
    let gradient = gradient.expect("remat: a gradient of f64, f32, f16 or bf16");
    let jobs = gradient
        .chunks_mut(JOB)
        .zip(bits.chunks(packed_len(JOB, BIT)));
    in_parallel(jobs.collect(), |(gradient, bits)| {
        vectorised(
            #[inline(always)]
            move || {
                unpack::<1, E>(
                    bits,
                    gradient,
                    #[inline(always)]
                    |bit, element| *element = if bit == 0 { E::default() } else { *element },
                );
            },
        );
    });
}

impl fmt::Debug for SignMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignMask")
            .field("shape", &self.shape)
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}
