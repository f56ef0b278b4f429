//! Command line options that the programs share.

use burn::tensor::Device;
use clap::ValueEnum;

/// Where the tensors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// The CPU, in Rust.
    Flex,
    /// A GPU, through Vulkan, Metal or DirectX; build with `--features wgpu`.
    Wgpu,
}

impl Backend {
    /// The backend's default device.
    ///
    /// # Errors
    ///
    /// If the program was built without the backend.
    pub fn device(self) -> Result<Device, String> {
        match self {
            Self::Flex => Ok(Device::flex()),
            #[cfg(feature = "wgpu")]
            Self::Wgpu => Ok(Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
            #[cfg(not(feature = "wgpu"))]
            Self::Wgpu => Err("this program was built without wgpu: \
                               add `--features wgpu` to the `cargo run`"
                .to_owned()),
        }
    }
}

/// A whole number of at least 1.
///
/// # Errors
///
/// If the text is another one.
pub fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("it must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

/// A probability below 1.
///
/// # Errors
///
/// If the text is another one.
pub fn probability(text: &str) -> Result<f64, String> {
    number_in(text, "from 0 to below 1", |p| (0.0..1.0).contains(&p))
}

/// A finite number above 0.
///
/// # Errors
///
/// If the text is another one.
pub fn above_zero(text: &str) -> Result<f64, String> {
    number_in(text, "a finite number above 0", |n| {
        n > 0.0 && n.is_finite()
    })
}

/// A learning rate, which burn's schedulers want above 0 and at most 1.
///
/// # Errors
///
/// If the text is another number.
pub fn learning_rate(text: &str) -> Result<f64, String> {
    number_in(text, "above 0 and at most 1", |rate| {
        rate > 0.0 && rate <= 1.0
    })
}

fn number_in(text: &str, range: &str, inside: impl Fn(f64) -> bool) -> Result<f64, String> {
    let number = text.parse().map_err(|_| "not a number".to_owned())?;
    if inside(number) {
        Ok(number)
    } else {
        Err(format!("it must be {range}"))
    }
}

/// Whether the width can be split evenly among the heads, which the attention layer takes for granted.
///
/// # Errors
///
/// If it cannot.
pub fn check_heads(dim: usize, heads: usize) -> Result<(), String> {
    if dim.is_multiple_of(heads) {
        Ok(())
    } else {
        Err(format!(
            "--dim {dim} is not divisible by --heads {heads}: every head gets an equal part of it"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert_eq!(positive("3"), Ok(3));
        assert_eq!(positive("0"), Err("it must be at least 1".to_owned()));
        assert!(positive("-1").is_err());
        assert!(positive("many").is_err());

        assert_eq!(probability("0"), Ok(0.0));
        assert!(probability("1").is_err());
        assert!(probability("NaN").is_err());

        assert_eq!(above_zero("1e-3"), Ok(0.001));
        assert!(above_zero("0").is_err());
        assert!(above_zero("inf").is_err());

        assert_eq!(learning_rate("1"), Ok(1.0));
        assert!(learning_rate("0").is_err());
        assert!(learning_rate("1.1").is_err());
        assert!(learning_rate("NaN").is_err());
    }

    #[test]
    fn heads_divide_the_width() {
        assert_eq!(check_heads(12, 4), Ok(()));
        let message = check_heads(10, 4).unwrap_err();
        assert!(message.contains("--dim 10") && message.contains("--heads 4"));
    }
}
