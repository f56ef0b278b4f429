//! The leaves of a tree that hold no tensor.

use super::{TensorMapper, TensorTree, TensorVisitor};
use burn::tensor::{DType, Device, Shape};
use std::marker::PhantomData;

macro_rules! values {
    ($($value:ty),* $(,)?) => {$(
        impl TensorTree for $value {
            fn visit_tensors<V: TensorVisitor>(&self, _visitor: &mut V) {}

            fn map_tensors<M: TensorMapper>(&self, _mapper: &mut M) -> Self {
                self.clone()
            }
        }
    )*};
}

values!(
    (),
    bool,
    char,
    i8,
    i16,
    i32,
    i64,
    i128,
    isize,
    u8,
    u16,
    u32,
    u64,
    u128,
    usize,
    f32,
    f64,
    String,
    &'static str,
    Shape,
    DType,
    Device,
);

impl<T: ?Sized> TensorTree for PhantomData<T> {
    fn visit_tensors<V: TensorVisitor>(&self, _visitor: &mut V) {}

    fn map_tensors<M: TensorMapper>(&self, _mapper: &mut M) -> Self {
        PhantomData
    }
}
