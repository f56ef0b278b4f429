//! A value in few bits.

use super::approximate::Token;
use super::options::Form;
use crate::quantize::{Quantized, SignMask};
use burn::tensor::{DType, Device, Shape, Tensor};
use std::sync::{Arc, Weak};

/// A compressed value. Clones share it.
#[derive(Clone)]
pub(in super::super) struct Compressed(Arc<Value>);

/// A value that somebody may still hold.
pub(super) struct Held(Weak<Value>);

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
    pub(super) fn of<const D: usize>(form: Form, value: Tensor<D>, seed: u64) -> Self {
        Self(Arc::new(match form {
            Form::Signs => Value::Signs {
                shape: value.shape(),
                device: value.device(),
                dtype: value.dtype(),
                mask: SignMask::of(value),
            },
            Form::Steps(quantizer) => Value::Steps(quantizer.quantize(value, seed)),
        }))
    }

    /// The value, or what is left of it. Of signs: 1 where they are positive, else 0.
    pub(in super::super) fn restore<const D: usize>(&self) -> Tensor<D> {
        match &*self.0 {
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

    /// Lives as long as the value.
    pub(super) fn token(&self) -> Token {
        Token::of(self.0.clone())
    }
}

impl Held {
    pub(super) fn get(&self) -> Option<Compressed> {
        self.0.upgrade().map(Compressed)
    }

    pub(super) fn is_held(&self) -> bool {
        self.0.strong_count() > 0
    }
}
