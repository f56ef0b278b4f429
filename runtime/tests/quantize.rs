//! `remat::quantize`: laws, and cases that went wrong elsewhere (by their numbers in the collection of cases).

use burn::tensor::activation::relu;
use burn::tensor::{DType, Device, Distribution, Tensor, TensorData};
use proptest::prelude::*;
use remat::quantize::{Quantized, Quantizer, Rounding, SignMask};

const ALL: [Quantizer; 6] = [
    Quantizer::bits(8),
    Quantizer::bits(4),
    Quantizer::bits(2),
    Quantizer::bits(8).rounding(Rounding::Nearest),
    Quantizer::bits(4).rounding(Rounding::Nearest),
    Quantizer::bits(2).rounding(Rounding::Nearest),
];

fn tensor(values: &[f32]) -> Tensor<1> {
    Tensor::from_data(
        TensorData::new(values.to_vec(), [values.len()]),
        &Device::default(),
    )
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().iter().collect()
}

/// The values after quantizing.
fn round_trip(quantizer: Quantizer, x: &[f32], seed: u64) -> Vec<f32> {
    values(quantizer.quantize(tensor(x), seed).dequantize::<1>())
}

fn bits<const D: usize>(tensor: Tensor<D>) -> Vec<u64> {
    tensor.into_data().iter::<f64>().map(f64::to_bits).collect()
}

/// A step of a group, and what f32 may get wrong beside.
fn step(group: &[f32], levels: f32) -> (f32, f32) {
    let (min, max) = group.iter().fold((f32::MAX, f32::MIN), |(min, max), &x| {
        (min.min(x), max.max(x))
    });
    let step = (max - min).max(2.0_f32.powi(-80)) / levels;
    (step, 4.0 * f32::EPSILON * min.abs().max(max.abs()))
}

fn random(count: usize, seed: u64) -> Vec<f32> {
    let device = Device::default();
    device.seed(seed);
    values(Tensor::<1>::random(
        [count],
        Distribution::Normal(0.0, 1.0),
        &device,
    ))
}

fn options() -> impl Strategy<Value = (u32, usize, Rounding)> {
    (
        prop_oneof![Just(8), Just(4), Just(2)],
        prop_oneof![Just(16_usize), Just(48), Just(256), Just(1024)],
        prop_oneof![Just(Rounding::Nearest), Just(Rounding::Stochastic)],
    )
}

/// Groups of very different sizes, far from 0 and near it, with repeated values.
fn data() -> impl Strategy<Value = Vec<f32>> {
    let value = prop_oneof![4 => -1.0_f32..1.0, 1 => Just(0.0), 1 => Just(1.0)];
    let exponent = -20_i32..20;
    let offset = prop_oneof![2 => Just(0.0_f32), 1 => -100.0_f32..100.0];
    (prop::collection::vec(value, 0..700), exponent, offset).prop_map(
        |(values, exponent, offset)| {
            let scaled = |value: f32| (value + offset) * 2.0_f32.powi(exponent);
            values.into_iter().map(scaled).collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(cube) { 4 } else { 200 }))]

    #[test]
    fn error_is_at_most_a_step((bits, group, rounding) in options(), x in data(), seed: u64) {
        let quantizer = Quantizer::bits(bits).group(group).rounding(rounding);
        let y = round_trip(quantizer, &x, seed);
        let levels = ((1 << bits) - 1) as f32;
        let part = if rounding == Rounding::Nearest { 0.501 } else { 1.0 };
        for (x, y) in x.chunks(group).zip(y.chunks(group)) {
            let (step, rounded) = step(x, levels);
            for (x, y) in x.iter().zip(y) {
                prop_assert!((x - y).abs() <= part * step + rounded, "{x} became {y}, a step is {step}");
            }
        }
    }

    #[test]
    fn again_is_the_same((bits, group, rounding) in options(), x in data(), seed: u64) {
        let quantizer = Quantizer::bits(bits).group(group).rounding(rounding);
        prop_assert_eq!(round_trip(quantizer, &x, seed), round_trip(quantizer, &x, seed));
    }

    /// What is on the steps of its group stays there, whatever the seed.
    #[test]
    fn idempotent((bits, group, rounding) in options(), x in data(), seeds: [u64; 2]) {
        let quantizer = Quantizer::bits(bits).group(group).rounding(rounding);
        let once = round_trip(quantizer, &x, seeds[0]);
        let twice = round_trip(quantizer.rounding(Rounding::Nearest), &once, seeds[1]);
        let levels = ((1 << bits) - 1) as f32;
        for ((x, once), twice) in x.chunks(group).zip(once.chunks(group)).zip(twice.chunks(group)) {
            // The second time the range may be another in its last digit.
            let (_, rounded) = step(x, levels);
            for (once, twice) in once.iter().zip(twice) {
                prop_assert!((once - twice).abs() <= rounded, "{once} became {twice}");
            }
        }
    }

    /// To the bit and by chance, where f32 has all steps exactly.
    #[test]
    fn integers_stay(bits in prop_oneof![Just(8), Just(4), Just(2)], seed: u64, count in 2..300, offset in -1000..1000) {
        let levels = (1 << bits) - 1;
        let values = (0..count).map(|i| (offset + match i { 0 => 0, 1 => levels, _ => i * 7 % (levels + 1) }) as f32);
        let x: Vec<f32> = values.collect();
        prop_assert_eq!(round_trip(Quantizer::bits(bits).group(1024), &x, seed), x);
    }

    #[test]
    fn shapes_and_views(shape in [0_usize..9, 1_usize..9, 1_usize..40], (bits_each, group, rounding) in options(), seed: u64) {
        let quantizer = Quantizer::bits(bits_each).group(group).rounding(rounding);
        let x = Tensor::<3>::random(shape, Distribution::Default, &Device::default());
        let view = x.swap_dims(0, 2).slice([0..shape[2], 0..shape[1].div_ceil(2)]);
        let copy = Tensor::<3>::from_data(view.to_data(), &Device::default());
        let y = quantizer.quantize(view.clone(), seed).dequantize::<3>();
        prop_assert_eq!(y.dims(), view.dims());
        prop_assert_eq!(bits(y), bits(quantizer.quantize(copy, seed).dequantize::<3>()));
    }
}

#[test]
fn q01_constant_groups_are_exact() {
    for quantizer in ALL {
        for constant in [5.0, -5.0, 1e-20, 1e30, 0.1, f32::MAX, f32::MIN] {
            for count in [1, 2, 255, 256, 257, 700] {
                assert_eq!(
                    round_trip(quantizer, &vec![constant; count], 7),
                    vec![constant; count]
                );
            }
        }
    }
}

#[test]
fn q02_zeros_stay_zeros() {
    for quantizer in ALL {
        assert_eq!(round_trip(quantizer, &[0.0; 1000], 1), [0.0; 1000]);
        // After a ReLU, also where a group has other values.
        let x = values(relu(tensor(&random(10_000, 2))));
        for seed in 0..10 {
            let y = round_trip(quantizer, &x, seed);
            assert!(x.iter().zip(y).all(|(&x, y)| x != 0.0 || y == 0.0));
        }
    }
}

/// Where the host waits for a device, it makes NaN of the whole group instead.
#[cfg(feature = "flex")]
#[test]
fn q04_groups_with_infinity_or_nan_are_exact() {
    let device = Device::flex();
    for quantizer in ALL {
        let x = [1.0, f32::INFINITY, f32::NAN, f32::NEG_INFINITY, 26.0];
        let y = round_trip(quantizer, &x, 1);
        assert_eq!(
            x.map(f32::to_bits).to_vec(),
            y.into_iter().map(f32::to_bits).collect::<Vec<_>>()
        );

        // In one group of several, at any place, in a short one, of any type.
        for special in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN] {
            for at in [0, 256, 300, 511, 639] {
                for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
                    let x = Tensor::<1>::random([640], Distribution::Default, (&device, dtype));
                    let x = x.slice_assign([at..=at], Tensor::full([1], special, (&device, dtype)));
                    let (x, y) = (
                        bits(x.clone()),
                        bits(quantizer.quantize(x, 3).dequantize::<1>()),
                    );
                    let group = at / 256 * 256..640.min((at / 256 + 1) * 256);
                    assert_eq!(x[group.clone()], y[group.clone()], "{special} at {at}");
                    let others = (0..640).filter(|at| !group.contains(at));
                    assert!(
                        others
                            .into_iter()
                            .all(|at| f64::from_bits(y[at]).is_finite())
                    );
                }
            }
        }
        // Their bytes are counted.
        let bytes = |x: &[f32]| quantizer.quantize(tensor(x), 0).bytes();
        let (finite, infinite) = (bytes(&[1.0; 256]), bytes(&[f32::INFINITY; 256]));
        assert_eq!(infinite, finite + 1024 + size_of::<usize>());
    }
    // Out of f32's range.
    let x = Tensor::<1>::from_data([1e300, 1.0, -2.0], (&device, DType::F64));
    let y = Quantizer::bits(2).quantize(x.clone(), 0).dequantize::<1>();
    assert_eq!(bits(x), bits(y));
    let x = [f32::MAX, f32::MIN, 0.0];
    assert_eq!(round_trip(Quantizer::bits(2), &x, 0), x);
}

#[test]
fn q06_empty_tensors() {
    let x = Tensor::<3>::zeros([4, 0, 2], &Device::default());
    for quantizer in ALL {
        let quantized = quantizer.quantize(x.clone(), 0);
        assert_eq!(quantized.dequantize::<3>().dims(), [4, 0, 2]);
        assert_eq!(quantized.bytes(), 0);
    }
    let mask = SignMask::of(x.clone());
    assert_eq!(mask.apply(x).dims(), [4, 0, 2]);
    assert_eq!(mask.bytes(), 0);
}

#[test]
fn q09_the_error_grows_smoothly_with_the_group() {
    let x = random(1 << 16, 3);
    for quantizer in ALL {
        let norms = [64, 128, 256, 512, 1024, 2048, 4096].map(|group| {
            let y = round_trip(quantizer.group(group), &x, 5);
            x.iter()
                .zip(y)
                .map(|(x, y)| f64::from(x - y).powi(2))
                .sum::<f64>()
                .sqrt()
        });
        for pair in norms.windows(2) {
            assert!(
                (1.0..1.25).contains(&(pair[1] / pair[0])),
                "{quantizer:?}: {norms:?}"
            );
        }
    }
}

#[cfg(feature = "flex")]
#[test]
fn q10_bytes() {
    for (quantizer, per_byte) in [(ALL[0], 1), (ALL[1], 2), (ALL[2], 4)] {
        for count in [1, 2, 3, 255, 256, 257, 1000] {
            let bytes = quantizer.quantize(tensor(&random(count, 1)), 0).bytes();
            let codes: usize = [256]
                .repeat(count / 256)
                .into_iter()
                .chain([count % 256])
                .map(|count| count.div_ceil(per_byte))
                .sum();
            assert_eq!(bytes, codes + 8 * count.div_ceil(256), "{count} elements");
        }
    }
}

#[test]
fn q11_both_ends_are_clamped_in_every_lane() {
    let (low, high) = (-3.7e5, 2.0_f32.powi(32));
    for quantizer in ALL {
        for count in 2..150 {
            let mut x = vec![high; count];
            x[count / 2] = low;
            let y = round_trip(quantizer, &x, count as u64);
            for (x, y) in x.into_iter().zip(y) {
                assert!(
                    (x - y).abs() <= high * f32::EPSILON,
                    "{x} became {y} of {count}"
                );
            }
        }
    }
}

#[test]
fn q14_parameters_have_the_precision_of_f32() {
    let x: Vec<f32> = (0..256_u16)
        .map(|i| 1000.3 + f32::from(i) / 2560.0)
        .collect();
    for (quantizer, levels) in [(ALL[3], 255.0), (ALL[4], 15.0), (ALL[5], 3.0)] {
        let (step, rounded) = step(&x, levels);
        let y = round_trip(quantizer, &x, 0);
        assert!(
            x.iter()
                .zip(y)
                .all(|(x, y)| (x - y).abs() <= 0.501 * step + rounded)
        );
    }
}

#[test]
fn q15_half_precision() {
    let device = Device::default();
    for dtype in [DType::F16, DType::BF16]
        .into_iter()
        .filter(|&dtype| device.supports_dtype(dtype))
    {
        for quantizer in ALL {
            for constant in [3.0, 65504.0, 6e-5, 0.0] {
                let x = Tensor::<1>::full([300], constant, (&device, dtype));
                let y = quantizer.quantize(x.clone(), 0).dequantize::<1>();
                assert_eq!(y.dtype(), dtype);
                assert_eq!(bits(x), bits(y));
            }
            let x = Tensor::<1>::from_data([-65504.0, 65504.0, 1.0], (&device, dtype));
            let y = values(quantizer.quantize(x, 0).dequantize::<1>());
            assert!(y.into_iter().all(f32::is_finite));
        }
    }
}

#[test]
fn q18_stochastic_rounding_is_unbiased() {
    const DRAWS: usize = 100_000;
    for bits in [8, 4, 2] {
        let levels = ((1 << bits) - 1) as f32;
        for value in [0.3, 0.5, 0.001, levels - 0.3, levels / 2.0 + 0.1] {
            // Many elements of one tensor: the first two of each group set its steps to 1.
            let group = [0.0, levels].into_iter().chain([value; 254]);
            let x: Vec<f32> = group.collect::<Vec<_>>().repeat(DRAWS.div_ceil(254));
            let y = round_trip(Quantizer::bits(bits), &x, 1);
            let draws: Vec<f32> = y
                .chunks(256)
                .flat_map(|group| &group[2..])
                .copied()
                .collect();
            assert_mean(&draws, value);

            // One element, with many seeds.
            let y = (0..2000)
                .map(|seed| round_trip(Quantizer::bits(bits), &[0.0, levels, value], seed)[2]);
            assert_mean(&y.collect::<Vec<_>>(), value);
        }
    }
}

/// Only the two steps around, and their mean is the value.
fn assert_mean(draws: &[f32], value: f32) {
    // A GPU's division need not be exact.
    let precision = if cfg!(cube) { 1e-3 } else { 0.0 };
    let is = |y: f32, step: f32| (y - step).abs() <= precision;
    let between = |&y: &f32| is(y, value.floor()) || is(y, value.ceil());
    assert!(draws.iter().all(between), "{value}");
    let (count, above) = (draws.len() as f64, f64::from(value.fract()));
    let mean = draws.iter().copied().map(f64::from).sum::<f64>() / count;
    let sigma = (above * (1.0 - above) / count).sqrt();
    assert!(
        (mean - f64::from(value)).abs() < 4.5 * sigma + 1e-4,
        "{value} became {mean} on average"
    );
}

#[test]
fn a_mask_has_the_gradient_of_burns_relu() {
    let device = Device::default();
    for shape in [[1, 1], [3, 5], [128, 128], [77, 301], [300, 300]] {
        let x = Tensor::<2>::random(shape, Distribution::Normal(0.0, 1.0), &device);
        let special = tensor(&[0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0]);
        let x = if shape[1] > 5 {
            x.slice_assign([0..1, 0..6], special.reshape([1, 6]))
        } else {
            x
        };
        let gradient = Tensor::<2>::random(shape, Distribution::Normal(0.0, 1.0), &device);
        let tracked = Tensor::from_inner(x.clone()).require_grad();
        let y = relu(tracked.clone());
        let loss = (y.clone() * Tensor::from_inner(gradient.clone())).sum();
        let expected = bits(tracked.grad(&loss.backward()).unwrap());
        assert_eq!(
            bits(SignMask::of(x.clone()).apply(gradient.clone())),
            expected
        );
        // Of the output, through a view, and with another owner of the gradient.
        let view = SignMask::of(y.inner().transpose());
        assert_eq!(
            bits(view.apply(gradient.clone().transpose()).transpose()),
            expected
        );
        drop(gradient);
    }
}

#[test]
fn cheap_to_clone_and_to_send() {
    fn is_portable<T: Send + Sync + Clone + 'static>() {}
    is_portable::<Quantized>();
    is_portable::<SignMask>();
    let quantized = Quantizer::bits(8).quantize(tensor(&[1.0, 2.0]), 0);
    let there = std::thread::spawn({
        let quantized = quantized.clone();
        move || values(quantized.dequantize::<1>())
    });
    assert_eq!(there.join().unwrap(), values(quantized.dequantize::<1>()));
    let text = format!("{quantized:?}");
    assert!(text.starts_with("Quantized { shape: "), "{text}");
}

#[test]
#[should_panic(expected = "a tensor of 1 dimensions was quantized, and one of 2 is asked for")]
fn another_rank() {
    let _ = Quantizer::bits(8)
        .quantize(tensor(&[1.0]), 0)
        .dequantize::<2>();
}

#[test]
#[should_panic(expected = "a gradient of shape")]
fn another_shape() {
    let _ = SignMask::of(tensor(&[1.0])).apply(tensor(&[1.0, 2.0]));
}

#[test]
#[should_panic(expected = "8, 4 or 2 bits")]
fn other_bits() {
    let _ = Quantizer::bits(std::hint::black_box(3));
}

#[test]
#[should_panic(expected = "a multiple of 16")]
fn another_group() {
    let _ = Quantizer::bits(8).group(std::hint::black_box(100));
}
