//! One bit for each element: on which side of its limits it is.

mod beyond;
mod limits;

pub(crate) use beyond::Beyond;
pub(super) use limits::Limits;

use super::codec::{pack, packed_len, unpack};
use super::device::Mask;
use super::width::Width;
use crate::host::{Elements, in_parallel, on_elements, vectorised, with_elements};
use crate::tape::reads_wait;
use burn::tensor::{Shape, Tensor, TensorData};
use std::ops::RangeBounds;
use std::sync::Arc;

/// Which elements of a tensor are within limits: which of two gradients each of them gets.
///
/// Clones share the bits. On a GPU, their number is rounded up to words of 32.
#[derive(Clone)]
pub(crate) struct Sides {
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

impl Sides {
    /// Of a tensor (without autodiff): an element is within unless it is beyond a limit, which NaN is not.
    pub(crate) fn within<const D: usize>(x: Tensor<D>, range: impl RangeBounds<f64>) -> Self {
        Self {
            shape: x.shape(),
            form: Form::of(x, Limits::new(&range)),
        }
    }

    /// Elements within stay as they are. In place, if nobody else holds the tensor (without autodiff), which may be of
    /// another type than the one that the sides are of.
    pub(crate) fn apply<const D: usize>(&self, x: Tensor<D>, beyond: Beyond) -> Tensor<D> {
        match &self.form {
            Form::Empty => x,
            Form::Host(bits) => on_host(bits, x, beyond),
            Form::Device(mask) => {
                let is_beyond = mask.beyond(&x.shape());
                beyond.on_device(x, is_beyond)
            }
        }
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(crate) fn bytes(&self) -> usize {
        match &self.form {
            Form::Empty => 0,
            Form::Host(bits) => bits.len(),
            Form::Device(mask) => mask.bytes(),
        }
    }
}

impl Form {
    fn of<const D: usize>(x: Tensor<D>, limits: Limits) -> Self {
        if x.shape().num_elements() == 0 {
            return Self::Empty;
        }
        let on_device = |x| Self::Device(Box::new(Mask::of(limits.beyond(x))));
        if reads_wait(&x.device()) {
            return on_device(x);
        }
        let bits = on_elements!(
            x.dtype(),
            E => with_elements(x, |elements| bits_of::<E>(elements, limits)),
            _ => return on_device(x)
        );
        Self::Host(bits.into())
    }
}

fn bits_of<E: Elements>(elements: &[E], limits: Limits) -> Vec<u8> {
    let mut bits = vec![0; packed_len(elements.len(), BIT)];
    let jobs = elements
        .chunks(JOB)
        .zip(bits.chunks_mut(packed_len(JOB, BIT)));
    in_parallel(jobs.collect(), |(elements, bits)| {
        vectorised(
            #[inline(always)]
            move || {
                let within = limits.within::<E>();
                pack::<1, E>(
                    elements,
                    0,
                    bits,
                    #[inline(always)]
                    |element, _| u32::from(within(element)),
                );
            },
        );
    });
    bits
}

fn on_host<const D: usize>(bits: &[u8], x: Tensor<D>, beyond: Beyond) -> Tensor<D> {
    let (device, dtype) = (x.device(), x.dtype());
    let mut data = x.into_data();
    on_elements!(
        dtype,
        E => beyond.on_host::<E>(bits, &mut data),
        _ => beyond.on_host::<f32>(bits, &mut data)
    );
    Tensor::from_data(data, (&device, dtype))
}

/// Gives `f` every element with its bit.
fn each<E: Elements>(
    bits: &[u8],
    data: &mut TensorData,
    f: impl Fn(bool, E) -> E + Copy + Send + Sync,
) {
    let elements = data.as_mut_slice::<E>();
    let elements = elements.expect("remat: a gradient of f64, f32, f16 or bf16");
    let jobs = elements
        .chunks_mut(JOB)
        .zip(bits.chunks(packed_len(JOB, BIT)));
    in_parallel(jobs.collect(), |(elements, bits)| {
        vectorised(
            #[inline(always)]
            move || {
                unpack::<1, E>(
                    bits,
                    elements,
                    #[inline(always)]
                    |bit, element| *element = f(bit != 0, *element),
                );
            },
        );
    });
}
