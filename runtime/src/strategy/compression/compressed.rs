//! A value in few bits.

use super::cache::Entry;
use super::options::Form;
use crate::quantize::{Quantized, SignMask};
use burn::tensor::{DType, Device, Shape, Tensor};
use std::sync::{Arc, Weak};

/// A compressed value. Clones share it.
#[derive(Clone)]
pub(in super::super) struct Compressed(Arc<Shared>);

/// A value that somebody may still hold.
pub(super) struct Held(Weak<Shared>);

struct Shared {
    value: Value,
    /// Goes with it.
    _entry: Entry,
}

enum Value {
    Signs {
        mask: SignMask,
        shape: Shape,
        device: Device,
        dtype: DType,
    },
    Steps(Quantized),
}

impl Compressed {
    pub(super) fn of<const D: usize>(
        form: Form,
        value: Tensor<D>,
        seed: u64,
        entry: Entry,
    ) -> Self {
        let value = match form {
            Form::Signs => Value::Signs {
                shape: value.shape(),
                device: value.device(),
                dtype: value.dtype(),
                mask: SignMask::of(value),
            },
            Form::Steps(quantizer) => Value::Steps(quantizer.quantize(value, seed)),
        };
        Self(Arc::new(Shared {
            value,
            _entry: entry,
        }))
    }

    /// The value, or what is left of it. Of signs: 1 where they are positive, else 0.
    pub(in super::super) fn restore<const D: usize>(&self) -> Tensor<D> {
        match &self.0.value {
            Value::Signs {
                mask,
                shape,
                device,
                dtype,
            } => mask.apply(Tensor::ones(shape.clone(), (device, *dtype))),
            Value::Steps(quantized) => quantized.dequantize(),
        }
    }

    pub(super) fn held(&self) -> Held {
        Held(Arc::downgrade(&self.0))
    }
}

impl Held {
    pub(super) fn get(&self) -> Option<Compressed> {
        self.0.upgrade().map(Compressed)
    }
}
