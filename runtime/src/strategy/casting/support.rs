//! Whether a device computes in a precision.

use super::super::segment::Label;
use crate::amp::Precision;
use burn::tensor::{DType, Device};

/// Reports a device that does not.
pub(super) fn check(precision: Precision, device: &Device, label: Label) {
    let supports = |dtype| device.supports_dtype(dtype);
    check_by(supports, precision, device, label);
}

fn check_by(
    supports: impl FnOnce(DType) -> bool,
    precision: Precision,
    device: &Device,
    label: Label,
) {
    if !supports(precision.dtype().into()) {
        label.fail(format_args!(
            "the device {device:?} does not compute in {precision}. Use another precision or another device."
        ));
    }
}

/// Flex computes in all of them, so the devices are made up.
#[cfg(all(test, feature = "flex"))]
mod tests {
    use super::super::super::segment::Options;
    use super::{DType, Device, Precision, check, check_by};
    use burn::nn::Linear;
    use std::panic::catch_unwind;

    const ALL: [(Precision, DType); 3] = [
        (Precision::BF16, DType::BF16),
        (Precision::F16, DType::F16),
        (Precision::F32, DType::F32),
    ];

    /// A device with only one of them lacks the others.
    #[test]
    fn a_device_that_lacks_a_precision() {
        let label = Options::new("autocast", Some("Block.up")).label::<Linear>();
        for (of_device, only) in ALL {
            for (precision, _) in ALL {
                let checked = catch_unwind(|| {
                    check_by(|dtype| dtype == only, precision, &Device::flex(), label);
                });
                let Err(panic) = checked else {
                    assert_eq!(precision, of_device);
                    continue;
                };
                assert_ne!(precision, of_device);
                let message = panic.downcast::<String>().expect("a message");
                let expected = format!("does not compute in {precision}. Use another");
                assert!(message.contains(&expected), "{message}");
                assert!(message.contains("`Block.up`"), "{message}");
                assert!(message.contains("Flex"), "{message}");
            }
        }
    }

    #[test]
    fn flex_has_all() {
        let label = Options::new("autocast", None).label::<Linear>();
        for (precision, _) in ALL {
            check(precision, &Device::flex(), label);
            check(precision, &Device::flex().autodiff(), label);
        }
    }
}
