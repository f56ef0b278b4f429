//! The loops of the host and the operations of a device: the same bits.

use super::codec::{Grid, LARGEST, SMALLEST};
use super::device::Mask;
use super::sides::{Beyond, Limits, Sides};
use super::width::Width;
use super::{Quantized, Quantizer, Rounding};
use burn::tensor::{DType, Device, Distribution, Tensor, bf16, f16};
use std::ops::Bound;

const ROUNDINGS: [Rounding; 2] = [Rounding::Nearest, Rounding::Stochastic];

fn on_host<const D: usize>(x: &Tensor<D>, quantizer: Quantizer, seed: u64) -> Quantized {
    let x = x.clone();
    let form = match x.dtype() {
        DType::F64 => quantizer.on_host::<f64, D>(x.clone(), seed),
        DType::F16 => quantizer.on_host::<f16, D>(x.clone(), seed),
        DType::BF16 => quantizer.on_host::<bf16, D>(x.clone(), seed),
        _ => quantizer.on_host::<f32, D>(x.clone(), seed),
    };
    quantized(&x, form)
}

fn on_device<const D: usize>(x: &Tensor<D>, quantizer: Quantizer, seed: u64) -> Quantized {
    quantized(x, quantizer.on_device(x.clone(), seed))
}

fn quantized<const D: usize>(x: &Tensor<D>, form: super::quantized::Form) -> Quantized {
    Quantized {
        shape: x.shape(),
        dtype: x.dtype(),
        device: x.device(),
        form,
    }
}

fn random<const D: usize>(shape: [usize; D], dtype: DType) -> Tensor<D> {
    let _turn = crate::random::alone();
    Tensor::random(
        shape,
        Distribution::Normal(0.3, 2.0),
        (&Device::default(), dtype),
    )
}

fn bits<const D: usize>(quantized: &Quantized) -> Vec<u64> {
    let values = quantized.dequantize::<D>().into_data();
    values.iter::<f64>().map(f64::to_bits).collect()
}

#[test]
fn host_and_device_agree() {
    let dtypes = [DType::F64, DType::F32, DType::F16, DType::BF16];
    for dtype in dtypes
        .into_iter()
        .filter(|&dtype| Device::default().supports_dtype(dtype))
    {
        for (bits_each, group, rounding) in [8, 4, 2]
            .into_iter()
            .flat_map(|bits| [16, 64, 256, 1024].map(|group| (bits, group)))
            .flat_map(|(bits, group)| ROUNDINGS.map(|rounding| (bits, group, rounding)))
        {
            let quantizer = Quantizer::bits(bits_each).group(group).rounding(rounding);
            for x in [
                random([7, 11, 13], dtype),
                random([1, 1, 3], dtype),
                random([4, 8, 128], dtype),
                random([3, 50, 401], dtype),
            ] {
                for seed in [0, u64::MAX, 0x1234_5678_9ABC_DEF0] {
                    let host = bits::<3>(&on_host(&x, quantizer, seed));
                    let device = bits::<3>(&on_device(&x, quantizer, seed));
                    assert_eq!(host, device, "{dtype:?} {quantizer:?} {seed}");
                }
            }
        }
    }
}

/// Of every size, near the ends of what is quantized, and where adding the minimum loses digits.
#[test]
fn host_and_device_agree_on_unusual_ranges() {
    for (factor, offset) in [
        (1.0, 1000.3),
        (1e-3, 1000.3),
        (0.0, 7.0),
        (1e37, 0.0),
        (1e-23, 0.0),
        (1e-30, 0.0),
        (1e-30, 1.0),
        (-5.0, -1e6),
    ] {
        let x = random([1000], DType::F32)
            .mul_scalar(factor)
            .add_scalar(offset);
        for quantizer in [8, 4, 2].map(Quantizer::bits) {
            let host = bits::<1>(&on_host(&x, quantizer, 3));
            let device = bits::<1>(&on_device(&x, quantizer, 3));
            assert_eq!(host, device, "{factor} {offset} {quantizer:?}");
        }
    }
}

#[test]
fn on_a_device_a_group_with_infinity_becomes_nan() {
    for special in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN] {
        let x = random([3, 256], DType::F32).slice_assign(
            [1..2, 7..8],
            Tensor::full([1, 1], special, &Device::default()),
        );
        for quantizer in [8, 4, 2].map(Quantizer::bits) {
            let y = on_device(&x, quantizer, 0).dequantize::<2>().into_data();
            let nan: Vec<bool> = y.iter::<f32>().map(f32::is_nan).collect();
            assert!(
                nan.iter()
                    .enumerate()
                    .all(|(at, &nan)| nan == (at / 256 == 1))
            );
        }
    }
}

#[test]
fn bytes_of_words() {
    let x = random([2048], DType::F32);
    for (bits, bytes) in [(8, 8 * 264), (4, 8 * 136), (2, 8 * 72)] {
        assert_eq!(on_device(&x, Quantizer::bits(bits), 0).bytes(), bytes);
    }
    // A group that is not full is filled up to whole words only.
    let x = random([5], DType::F32);
    for (bits, bytes) in [(8, 8 + 8), (4, 4 + 8), (2, 4 + 8)] {
        assert_eq!(on_device(&x, Quantizer::bits(bits), 0).bytes(), bytes);
    }
}

/// NaN and every limit among them.
#[test]
fn sides_of_host_and_device_agree() {
    let dtypes = [DType::F64, DType::F32, DType::F16, DType::BF16];
    for dtype in dtypes
        .into_iter()
        .filter(|&dtype| Device::default().supports_dtype(dtype))
    {
        for count in [1, 31, 32, 33, 1000] {
            let special = [f64::NAN, 0.0, -0.0, 0.5, -0.1];
            let special = Tensor::from_data(special, (&Device::default(), dtype));
            let x = Tensor::cat(vec![special, random([count], dtype)], 0).narrow(0, 0, count);
            let low = [Bound::Included(-0.1), Bound::Excluded(0.0)];
            let high = [Bound::Included(0.5), Bound::Excluded(0.0)];
            let ranges = low
                .into_iter()
                .flat_map(|low| high.map(|high| (low, high)))
                .chain(low.map(|low| (low, Bound::Unbounded)))
                .chain(high.map(|high| (Bound::Unbounded, high)));
            let gradient = random([count], dtype);
            for range in ranges {
                let host = Sides::within(x.clone(), range);
                let device = Mask::of(Limits::new(&range).beyond(x.clone()));
                for beyond in [
                    Beyond::Is(-0.1),
                    Beyond::Times(-0.3),
                    Beyond::SumOfWays(-0.3),
                ] {
                    let host = host.apply(gradient.clone(), beyond);
                    let device =
                        beyond.on_device(gradient.clone(), device.beyond(&gradient.shape()));
                    assert_eq!(
                        host.into_data(),
                        device.into_data(),
                        "{count} of {dtype:?}, {range:?}, {beyond:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn ends_of_a_grid() {
    let width = Width::new(8);
    let grid = |values: &[f32]| Grid::of(values, width).0;
    assert_eq!(
        grid(&[-0.0, 255.0]),
        Grid {
            base: 0.0,
            scale: 1.0
        }
    );
    assert!(grid(&[-0.0, 0.0]).base.is_sign_positive());
    assert_eq!(grid(&[5.0, 5.0]).scale, SMALLEST / 255.0);
    assert!(!grid(&[0.0, LARGEST]).is_none());
    for none in [
        [f32::MIN, 0.0],
        [1.0, f32::NAN],
        [1.0, -f32::NAN],
        [f32::NEG_INFINITY, 1.0],
        [f32::INFINITY, 1.0],
        [f32::INFINITY, f32::INFINITY],
    ] {
        assert!(grid(&none).is_none(), "{none:?}");
    }
}
