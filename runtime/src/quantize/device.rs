//! Quantized tensors in a device's memory: the same numbers as in `codec`, by the device's own operations and without
//! reading anything back.

use super::codec::{EIGHT_BITS_DOWN, EIGHT_BITS_UP, LARGEST, SMALLEST};
use super::quantizer::{Quantizer, Rounding};
use super::width::{GUARD, Width};
use crate::random::Key;
use burn::tensor::kind::Basic;
use burn::tensor::{Bool, DType, FloatDType, Int, IntDType, Shape, Tensor};

/// A tensor in groups, of which the last is filled up.
#[derive(Clone)]
pub(super) struct Words {
    width: Width,
    /// `[groups, 1, words of a group]`
    codes: Tensor<3, Int>,
    /// `[groups, 1, 1]`; like the scale, NaN for a group without steps: so are its elements then.
    base: Tensor<3>,
    scale: Tensor<3>,
}

impl Words {
    /// Of a tensor with at least one element.
    pub(super) fn encode<const D: usize>(x: Tensor<D>, quantizer: Quantizer, seed: u64) -> Self {
        let width = quantizer.width;
        let count = x.shape().num_elements();
        let group = quantizer
            .group
            .min(count.next_multiple_of(width.per_word()));
        let groups = count.div_ceil(group);
        let x = x.cast(FloatDType::F32).reshape([count]);
        let x = filled_up(x, groups * group).reshape([groups, 1, group]);

        let min = x.clone().min_dim(2).add_scalar(0.0);
        let range = x.clone().max_dim(2) - min.clone();
        let infinite = x.clone().is_finite().all_dim(2).bool_not();
        let none = infinite.bool_or(range.clone().greater_elem(LARGEST));
        let range = range.clamp_min(SMALLEST);

        let per_value = range.clone().recip().mul_scalar(width.full());
        let above = (x - min.clone()) * per_value;
        Self {
            width,
            codes: packed(codes(above, quantizer, seed), width),
            base: min.mask_fill(none.clone(), f32::NAN),
            scale: range.div_scalar(width.levels()).mask_fill(none, f32::NAN),
        }
    }

    /// The elements as a tensor of a shape.
    pub(super) fn decode<const D: usize>(&self, shape: &Shape, dtype: DType) -> Tensor<D> {
        let codes = unpacked(&self.codes, self.width).cast(FloatDType::F32);
        let scale = self.scale.clone();
        let high = scale.clone().mul_scalar(EIGHT_BITS_DOWN) + scale.clone();
        let high = (high - scale.clone()).mul_scalar(EIGHT_BITS_UP);
        let low = scale - high.clone();
        let values = codes.clone() * high + self.base.clone() + codes * low;
        first(values, shape).cast(dtype)
    }

    pub(super) fn bytes(&self) -> usize {
        let parameters = 2 * self.base.shape().num_elements();
        size_of::<u32>() * (self.codes.shape().num_elements() + parameters)
    }
}

/// One bit for each element, 32 to a word.
#[derive(Clone)]
pub(super) struct Mask(Tensor<3, Int>);

impl Mask {
    /// Of a tensor with at least one element: the bits of those that are not beyond their limits.
    pub(super) fn of<const D: usize>(beyond: Tensor<D, Bool>) -> Self {
        let count = beyond.shape().num_elements();
        let within = beyond.reshape([count]).bool_not();
        let within = filled_up(within.cast(IntDType::I32), count.next_multiple_of(32));
        Self(packed(within.reshape([1, 1, -1]), Width::new(1)))
    }

    /// Which elements are beyond.
    pub(super) fn beyond<const D: usize>(&self, shape: &Shape) -> Tensor<D, Bool> {
        first(unpacked(&self.0, Width::new(1)), shape).equal_elem(0)
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<u32>() * self.0.shape().num_elements()
    }
}

/// The codes of elements that are measured in the smallest fractions of a step.
fn codes(above: Tensor<3>, quantizer: Quantizer, seed: u64) -> Tensor<3, Int> {
    let Quantizer {
        width, rounding, ..
    } = quantizer;
    let (dice, shape) = (width.dice(), above.shape());
    let fixed = above.clamp(0.0, width.full()).cast(IntDType::I32);
    let rounded = fixed.add_scalar(1 << (GUARD - 1));
    let rounded = rounded.bitwise_right_shift_scalar(GUARD);
    let raised = match rounding {
        Rounding::Nearest => rounded.add_scalar(1 << (dice - 1)),
        Rounding::Stochastic => {
            let numbers = Key::new(seed).on_device(shape.num_elements(), &rounded.device());
            rounded + right(numbers, u32::BITS - dice, dice).reshape(shape)
        }
    };
    raised.bitwise_right_shift_scalar(dice)
}

/// So many bits of unsigned numbers, from one on: shifting signed ones copies their sign.
fn right<const D: usize>(x: Tensor<D, Int>, shift: u32, bits: u32) -> Tensor<D, Int> {
    let mask = (u32::MAX >> (u32::BITS - bits)).cast_signed();
    x.bitwise_right_shift_scalar(shift).bitwise_and_scalar(mask)
}

/// Of each row of codes as many words as they need: as in `codec::pack`, the first codes have the lowest bits.
fn packed(codes: Tensor<3, Int>, width: Width) -> Tensor<3, Int> {
    let [groups, _, group] = codes.dims();
    let words = group / width.per_word();
    let planes = codes.reshape([groups, width.per_word(), words]).split(1, 1);
    let shifted = (0..)
        .zip(planes)
        .map(|(plane, codes)| codes.bitwise_left_shift_scalar(plane * width.bits()));
    shifted.reduce(Tensor::bitwise_or).expect("a word has bits")
}

/// The codes in rows of words: `[rows, codes of a word, words]`, in their order.
fn unpacked(words: &Tensor<3, Int>, width: Width) -> Tensor<3, Int> {
    let planes = 0..u32::BITS / width.bits();
    let plane = |plane| right(words.clone(), plane * width.bits(), width.bits());
    Tensor::cat(planes.map(plane).collect(), 1)
}

/// With copies of the last element, which changes neither the minimum nor the maximum.
fn filled_up<K: Basic>(x: Tensor<1, K>, count: usize) -> Tensor<1, K> {
    let [given] = x.dims();
    if given == count {
        return x;
    }
    let last = x.clone().narrow(0, given - 1, 1);
    Tensor::cat(vec![x, last.repeat_dim(0, count - given)], 0)
}

/// Without what a tensor was filled up with.
fn first<K: Basic, const D: usize>(x: Tensor<3, K>, shape: &Shape) -> Tensor<D, K> {
    let x = x.flatten::<1>(0, 2);
    x.narrow(0, 0, shape.num_elements()).reshape(shape.clone())
}
