//! burn's generator of a device, which can be set and drawn from, and numbers made of numbers.

use super::segments::holds_the_generator;
use burn::tensor::{Device, Distribution, Int, Tensor};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// burn's generators belong to the process: two threads inside segments would take numbers from
/// one another's streams, and a recomputation would not find its own again.
static GENERATOR: Mutex<()> = Mutex::new(());

/// A thread's turn at the generator.
pub(super) type Turn = Option<MutexGuard<'static, ()>>;

/// This thread's turn, unless a segment around has it already.
pub(super) fn turn() -> Turn {
    (!holds_the_generator()).then(|| GENERATOR.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Some numbers that come next, still on the device.
pub(super) fn next_numbers(device: &Device) -> Tensor<1, Int> {
    // 24 bits a number: what the least precise of burn's integer generators gives.
    Tensor::random(
        [4],
        Distribution::Uniform(0.0, f64::from(1 << 24)),
        &device.clone().without_autodiff(),
    )
}

/// One number for each four.
pub(super) fn read(numbers: Tensor<1, Int>) -> Vec<u64> {
    let numbers: Vec<u64> = numbers.into_data().iter::<u64>().collect();
    let one = |four: &[u64]| four.iter().fold(0, |seed, number| mix(seed ^ number));
    numbers.chunks(4).map(one).collect()
}

/// A seed that is drawn from the device's generator.
pub(crate) fn drawn_seed(device: &Device) -> u64 {
    let _turn = turn();
    read(next_numbers(device))[0]
}

/// The seed of this number, of those that are counted from a seed.
pub(crate) fn nth_seed(seed: u64, number: usize) -> u64 {
    mix(seed ^ mix(number as u64))
}

/// Seeds counted from a seed.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    seed: u64,
    next: u64,
}

impl Counter {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, next: 0 }
    }

    pub(super) fn count(&mut self) -> u64 {
        self.next += 1;
        mix(self.seed ^ mix(self.next))
    }
}

/// The finaliser of `SplitMix64` (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, OOPSLA 2014), with its increment so that zero does not stay zero.
pub(super) fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}
