//! What a quantized tensor holds, as the allocator has it.

#![cfg(feature = "flex")]

use burn::tensor::{Device, Distribution, Tensor};
use remat::memory::{Tracking, measure};
use remat::quantize::{Quantizer, SignMask};

#[global_allocator]
static ALLOC: Tracking = Tracking::new();

const ELEMENTS: usize = 1 << 20;

/// Bytes that stay: the least of some measurements, since the test harness allocates too.
fn kept<T>(mut work: impl FnMut() -> T) -> f64 {
    let mut retained = || {
        let (_value, report) = measure(&Device::flex(), &mut work);
        report.retained().expect("the allocator counts")
    };
    // The first call starts the threads.
    retained();
    (0..10).map(|_| retained()).min().expect("ten") as f64
}

#[test]
fn q10_payloads() {
    let x = Tensor::<2>::random(
        [ELEMENTS / 1024, 1024],
        Distribution::Default,
        &Device::flex(),
    );
    let plain = 4.0 * ELEMENTS as f64;
    for (bits, times) in [(8, 3.85), (4, 7.4), (2, 14.0)] {
        let quantizer = Quantizer::bits(bits);
        let kept = kept(|| quantizer.quantize(x.clone(), 0));
        let said = quantizer.quantize(x.clone(), 0).bytes() as f64;
        assert!(
            plain / kept >= times,
            "{bits} bits: {kept} bytes of {plain}"
        );
        assert!(
            (said..said + 500.0).contains(&kept),
            "{said} of {kept} bytes"
        );
    }
    let mask = kept(|| SignMask::of(x.clone()));
    assert!(plain / mask >= 31.9, "a mask: {mask} bytes of {plain}");
}
