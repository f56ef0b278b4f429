//! What a quantized tensor holds.

use super::support::{alone, cost, device, median};
use burn::tensor::{Device, Distribution, Tensor};
use remat::memory::measure;
use remat::quantize::{Quantizer, SignMask};

const ELEMENTS: usize = 1 << 20;

/// The bytes of a value that has no graph.
fn held<T>(work: impl Fn() -> T) -> f64 {
    let round = |_| {
        let (_value, report) = measure(&Device::flex(), &work);
        report.retained().unwrap()
    };
    // The first call starts the threads.
    round(0);
    median((0..9).map(round)) as f64
}

#[test]
fn q10_payloads() {
    alone(|| {
        let x = Tensor::<2>::random(
            [ELEMENTS / 1024, 1024],
            Distribution::Default,
            &Device::flex(),
        );
        let plain = 4.0 * ELEMENTS as f64;
        for (bits, times) in [(8, 3.85), (4, 7.4), (2, 14.0)] {
            let quantizer = Quantizer::bits(bits);
            let kept = held(|| quantizer.quantize(x.clone(), 0));
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
        let mask = held(|| SignMask::of(x.clone()));
        assert!(plain / mask >= 31.9, "a mask: {mask} bytes of {plain}");
    });
}

/// What `#[quantize(bits = 8)]` saves of each of burn's activations, in bytes an element. The macros refuse it where there is
/// nothing to be had: see `Kept` in macros/src/burn.rs.
#[test]
fn what_is_compressed_of_activations() {
    alone(|| {
        use burn::nn::activation::*;
        let device = device();
        let x = Tensor::<2>::random([64, 1024], Distribution::Normal(0.0, 1.0), &device);
        let x = x.require_grad();
        macro_rules! saved {
        ($($layer:expr),* $(,)?) => {
            [$({
                let layer = $layer;
                let options = remat::Quantize::bits(8);
                let plain = cost(|| layer.forward(x.clone() * 2.0));
                let quantized = cost(|| {
                    let x = (x.clone() * 2.0,);
                    remat::quantize(options, &layer, x, |layer, (x,)| layer.forward(x))
                });
                (stringify!($layer), (plain.retained - quantized.retained) / (64.0 * 1024.0))
            }),*]
        };
    }
        let accepted = saved![
            Gelu::new(),
            Relu::new(),
            Sigmoid::new(),
            Tanh::new(),
            SiLU::new(),
            Mish::new(),
            HardSwish::new(),
            LogSigmoid::new(),
            Softsign::new(),
            Tanhshrink::new(),
            PReluConfig::new().init(&device),
            EluConfig::new().init(),
            Selu::new(),
            HardShrinkConfig::new().init(),
            SoftShrinkConfig::new().init(),
        ];
        for (layer, saved) in accepted {
            assert!(saved > 2.5, "{layer}: {saved}");
        }
        let refused = saved![
            SoftplusConfig::new().init(),
            GLU::new(1),
            RReluConfig::new().init(),
            CeluConfig::new().init(),
            Relu6::new(),
            HardtanhConfig::new().init(),
            HardSigmoidConfig::new().init(),
            LeakyReluConfig::new().init(),
            ThresholdedReluConfig::new().init(),
        ];
        for (layer, saved) in refused {
            assert!(saved < 0.1, "{layer}: {saved}");
        }
    });
}
