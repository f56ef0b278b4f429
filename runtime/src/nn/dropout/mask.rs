//! The mask of a dropout.

use crate::host::{Elements, on_elements, vectorised};
use crate::random::{CountedSeed, Key, next_mask_seed};
use crate::tape::reads_wait;
use burn::tensor::{Device, Tensor, TensorData};

/// Which elements a dropout keeps: computed from a seed whenever it is needed, never stored.
#[derive(Clone, Debug)]
pub(crate) struct Mask {
    seed: CountedSeed,
    prob: f64,
}

impl Mask {
    /// The next mask of this thread; `prob` is the probability of dropping, in (0, 1).
    pub(crate) fn next(prob: f64, device: &Device) -> Self {
        Self {
            seed: next_mask_seed(device),
            prob,
        }
    }

    /// `x` (without autodiff) with the dropped elements 0 and the others times `1 / (1 - prob)`.
    pub(crate) fn apply<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        let rule = Rule::new(self.seed.value, self.prob);
        if reads_wait(&x.device()) {
            rule.on_device(x)
        } else {
            rule.on_host(x)
        }
    }
}

/// What is done to an element.
#[derive(Clone, Copy)]
struct Rule {
    key: Key,
    /// Elements whose number, as a signed one, is below are dropped.
    threshold: i32,
    scale: f32,
}

impl Rule {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a probability has its place among 2^32 numbers; burn's scale is an f32 too"
    )]
    fn new(seed: u64, prob: f64) -> Self {
        let numbers = f64::from(u32::MAX) + 1.0;
        Self {
            key: Key::new(seed),
            threshold: (prob * numbers + f64::from(i32::MIN)).round() as i32,
            scale: (1.0 / (1.0 - prob)) as f32,
        }
    }

    /// In one pass over the elements, in place if nobody else holds them.
    fn on_host<const D: usize>(self, x: Tensor<D>) -> Tensor<D> {
        let (device, dtype) = (x.device(), x.dtype());
        on_elements!(
            dtype,
            E => self.on_data::<E, D>(x.into_data(), &device),
            _ => self.on_device(x)
        )
    }

    fn on_data<E: Elements, const D: usize>(
        self,
        mut data: TensorData,
        device: &Device,
    ) -> Tensor<D> {
        let dtype = data.dtype();
        let values = data.as_mut_slice::<E>();
        self.on_values(values.expect("the data has the tensor's dtype"));
        Tensor::from_data(data, (device, dtype))
    }

    fn on_values<E: Elements>(self, values: &mut [E]) {
        let scale = E::narrowed(self.scale);
        vectorised(
            // What it captures must not be in the way of the values, or the loop is not vectorised: hence `move`.
            #[inline(always)]
            move || {
                for (index, value) in (0_u32..).zip(values) {
                    *value = if self.drops(index) {
                        E::default()
                    } else {
                        *value * scale
                    };
                }
            },
        );
    }

    #[inline(always)]
    fn drops(self, index: u32) -> bool {
        self.key.hash(index).cast_signed() < self.threshold
    }

    /// With the device's own operations, for one kernel that computes the mask and applies it (where operations are
    /// fused), and no transfer.
    fn on_device<const D: usize>(self, x: Tensor<D>) -> Tensor<D> {
        let shape = x.shape();
        if shape.num_elements() == 0 {
            return x; // which kernels need not take
        }
        let numbers = self.key.on_device(shape.num_elements(), &x.device());
        let dropped = numbers.lower_elem(self.threshold);
        x.mul_scalar(self.scale)
            .mask_fill(dropped.reshape(shape), 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::DType;

    fn ones<const D: usize>(shape: [usize; D], dtype: DType) -> Tensor<D> {
        Tensor::ones(shape, (&Device::default(), dtype))
    }

    /// The loop on the host and the operations of a device give one mask.
    #[test]
    fn host_and_device_agree() {
        let dtypes = [DType::F64, DType::F32, DType::F16, DType::BF16];
        for dtype in dtypes
            .into_iter()
            .filter(|dtype| Device::default().supports_dtype(*dtype))
        {
            for (seed, prob) in [
                (0, 0.1),
                (1, 0.5),
                (u64::MAX, 0.999),
                (0x1234_5678_9ABC_DEF0, 1e-6),
            ] {
                let rule = Rule::new(seed, prob);
                // Numbers of which few products are exact.
                let x = ones([3, 7, 11], dtype).cumsum(2).div_scalar(7.0);
                let (host, device) = (rule.on_host(x.clone()), rule.on_device(x));
                assert_eq!(
                    host.into_data(),
                    device.into_data(),
                    "{dtype:?} {seed} {prob}"
                );
            }
        }
    }

    fn dropped(seed: u64, prob: f64, count: u32) -> Vec<bool> {
        let rule = Rule::new(seed, prob);
        (0..count).map(|index| rule.drops(index)).collect()
    }

    fn share(bits: impl ExactSizeIterator<Item = bool>) -> f64 {
        let count = bits.len() as f64;
        bits.filter(|&bit| bit).count() as f64 / count
    }

    fn sigmas(share: f64, prob: f64, count: u32) -> f64 {
        (share - prob) / (prob * (1.0 - prob) / f64::from(count)).sqrt()
    }

    #[test]
    fn the_share_that_is_dropped() {
        for prob in [0.01, 0.1, 0.5, 0.9, 0.999] {
            for seed in 0..8 {
                let share = share(dropped(seed, prob, 1_000_000).into_iter());
                let sigmas = sigmas(share, prob, 1_000_000);
                assert!(sigmas.abs() < 4.0, "{prob} {seed}: {sigmas} sigma");
            }
        }
        assert_eq!(share(dropped(0, 1e-12, 1000).into_iter()), 0.0);
        assert_eq!(share(dropped(0, 1.0 - 1e-12, 1000).into_iter()), 1.0);
    }

    /// Masks of other seeds, and elements of one mask, agree as often as chance has it: also when the seeds differ in a
    /// bit, and when one mask is shifted, or its blocks are exchanged.
    #[test]
    fn masks_are_independent() {
        const COUNT: u32 = 1 << 16;
        let mask = dropped(0x2A, 0.5, 2 * COUNT);
        let agree = |pairs: &mut dyn Iterator<Item = (bool, bool)>| {
            let equal: Vec<bool> = pairs.map(|(a, b)| a == b).collect();
            let count = u32::try_from(equal.len()).unwrap();
            let sigmas = sigmas(share(equal.into_iter()), 0.5, count);
            assert!(sigmas.abs() < 4.5, "{sigmas} sigma");
        };
        for bit in 0..64 {
            let other = dropped(0x2A ^ (1 << bit), 0.5, COUNT);
            agree(&mut mask.iter().copied().zip(other));
        }
        for lag in [1, 2, 3, 64, 128, 256, 1024, 4096] {
            let shifted = mask.iter().skip(lag);
            agree(&mut mask.iter().copied().zip(shifted.copied()));
            let lower =
                (0..mask.len()).filter(|index| index & lag == 0 && (index ^ lag) < mask.len());
            agree(&mut lower.map(|index| (mask[index], mask[index ^ lag])));
        }
    }
}
