//! What quantizing costs beside a product of matrices whose operand is quantized.
//!
//! `cargo bench --workspace --bench quantize`

use burn::tensor::{Device, Distribution, Tensor};
use divan::{Bencher, black_box, black_box_drop};
use remat::quantize::{Quantizer, Rounding, SignMask};

const ROWS: usize = 512;
/// 2 M elements in all.
const COLUMNS: usize = 4096;
const OUTPUTS: usize = 1024;
const BITS: [u32; 3] = [8, 4, 2];

fn main() {
    divan::main();
}

fn random(shape: [usize; 2]) -> Tensor<2> {
    Tensor::random(shape, Distribution::Normal(0.0, 1.0), &Device::default())
}

#[divan::bench]
fn product(bencher: Bencher) {
    let (x, weights) = (random([ROWS, COLUMNS]), random([COLUMNS, OUTPUTS]));
    bencher.bench_local(|| finished(x.clone().matmul(weights.clone())));
}

#[divan::bench(args = BITS)]
fn quantize_and_dequantize(bencher: Bencher, bits: u32) {
    round_trip(bencher, Quantizer::bits(bits));
}

#[divan::bench(args = BITS)]
fn quantize_and_dequantize_nearest(bencher: Bencher, bits: u32) {
    round_trip(bencher, Quantizer::bits(bits).rounding(Rounding::Nearest));
}

fn round_trip(bencher: Bencher, quantizer: Quantizer) {
    let x = random([ROWS, COLUMNS]);
    bencher.bench_local(|| {
        let kept = quantizer.quantize(black_box(x.clone()), 1);
        finished(kept.dequantize());
    });
}

#[divan::bench]
fn mask_and_apply(bencher: Bencher) {
    let x = random([ROWS, COLUMNS]);
    bencher
        .with_inputs(|| random([ROWS, COLUMNS]))
        .bench_local_values(|gradient| {
            finished(SignMask::of(black_box(x.clone())).apply(gradient));
        });
}

/// Waits for a device to have done it.
fn finished(tensor: Tensor<2>) {
    tensor.device().sync().expect("the device works");
    black_box_drop(tensor);
}
