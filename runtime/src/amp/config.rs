//! The options of a scaler.

use super::{GradScaler, InvalidScaler};
use burn::config::Config;

/// Options of a [`GradScaler`]. The defaults are those of `PyTorch`'s.
///
/// ```
/// use remat::amp::GradScalerConfig;
///
/// let scaler = GradScalerConfig::new().with_init_scale(1024.0).with_hysteresis(2).init();
/// assert_eq!(scaler.unwrap().scale(), 1024.0);
///
/// let zero = GradScalerConfig::new().with_min_scale(0.0).init();
/// assert!(zero.unwrap_err().to_string().contains("min_scale"));
/// ```
#[derive(Config, Debug, PartialEq)]
pub struct GradScalerConfig {
    /// The scale of the first iteration.
    #[config(default = 65536.0)]
    pub init_scale: f32,
    /// What the scale is multiplied by when it grows: above 1.
    #[config(default = 2.0)]
    pub growth_factor: f32,
    /// After how many iterations in a row without an overflow the scale grows.
    #[config(default = 2000)]
    pub growth_interval: usize,
    /// What the scale is multiplied by after an overflow: between 0 and 1.
    #[config(default = 0.5)]
    pub backoff_factor: f32,
    /// The scale never falls below it, and it is not 0: nothing could be divided by the scale.
    #[config(default = 1.0)]
    pub min_scale: f32,
    /// The scale backs off at the overflow of this number, and at each after it; the ones before only skip their
    /// step. The count starts anew when the scale grows.
    #[config(default = 1)]
    pub hysteresis: usize,
    /// The count of `hysteresis` also starts anew after each iteration without an overflow.
    #[config(default = false)]
    pub consecutive_hysteresis: bool,
}

impl GradScalerConfig {
    /// A scaler with these options.
    ///
    /// # Errors
    ///
    /// The first option that no scaler can have.
    pub fn init(&self) -> Result<GradScaler, InvalidScaler> {
        self.validate()?;
        Ok(GradScaler::valid(self.clone()))
    }

    fn validate(&self) -> Result<(), InvalidScaler> {
        let require = |valid, option, value: String, rule| {
            let invalid = InvalidScaler {
                option,
                value,
                rule,
            };
            if valid { Ok(()) } else { Err(invalid) }
        };
        let normal = |scale: f32| scale.is_normal() && scale > 0.0;
        require(
            normal(self.min_scale),
            "min_scale",
            self.min_scale.to_string(),
            "a positive number that f32 holds in full, so that gradients can be divided by it",
        )?;
        require(
            normal(self.init_scale) && self.init_scale >= self.min_scale,
            "init_scale",
            self.init_scale.to_string(),
            "finite and not below `min_scale`",
        )?;
        require(
            self.growth_factor.is_finite() && self.growth_factor > 1.0,
            "growth_factor",
            self.growth_factor.to_string(),
            "finite and above 1",
        )?;
        require(
            self.backoff_factor > 0.0 && self.backoff_factor < 1.0,
            "backoff_factor",
            self.backoff_factor.to_string(),
            "between 0 and 1, without these",
        )?;
        require(
            self.growth_interval > 0,
            "growth_interval",
            self.growth_interval.to_string(),
            "at least 1",
        )?;
        require(
            self.hysteresis > 0,
            "hysteresis",
            self.hysteresis.to_string(),
            "at least 1, which backs off at once",
        )
    }
}
