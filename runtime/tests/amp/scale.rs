//! How the scale moves.

use crate::support::config;
use remat::amp::{GradScaler, GradScalerConfig};

/// The scales after iterations, of which `true` has an overflow.
fn scales(config: &GradScalerConfig, overflows: &[bool]) -> Vec<f32> {
    let mut scaler = config.init().unwrap();
    let after = |&overflow| {
        scaler.update_with(overflow);
        scaler.scale()
    };
    overflows.iter().map(after).collect()
}

const OVERFLOW: bool = true;
const GOOD: bool = false;

#[test]
fn the_defaults_are_pytorchs() {
    let mut scaler = GradScaler::default();
    for _ in 0..1999 {
        scaler.update_with(GOOD);
    }
    assert_eq!(scaler.scale(), 65536.0);
    scaler.update_with(GOOD);
    assert_eq!(scaler.scale(), 131_072.0);
    scaler.update_with(OVERFLOW);
    assert_eq!(scaler.scale(), 65536.0);
    assert_eq!(scaler.overflows(), 1);
}

#[test]
fn an_overflow_starts_the_count_to_the_next_growth_anew() {
    let config = config().with_growth_interval(2);
    let sequence = [GOOD, OVERFLOW, GOOD, GOOD, GOOD, GOOD];
    let expected = [1024.0, 512.0, 512.0, 1024.0, 1024.0, 2048.0];
    assert_eq!(scales(&config, &sequence), expected);
}

#[test]
fn s02_the_scale_stops_at_its_floor() {
    let down = scales(&GradScalerConfig::new(), &[OVERFLOW; 200]);
    assert_eq!(down[14], 2.0);
    assert!(down[15..].iter().all(|&scale| scale == 1.0), "16 backoffs");

    // Without a floor it would be 0 after 166 of them. There is none that low.
    assert_eq!((0..166).fold(65536.0_f32, |scale, _| scale * 0.5), 0.0);
    let zero = GradScalerConfig::new().with_min_scale(0.0).init();
    assert!(zero.is_err());
    let least = GradScalerConfig::new().with_min_scale(f32::MIN_POSITIVE);
    let down = scales(&least, &[OVERFLOW; 200]);
    assert_eq!(down[199], f32::MIN_POSITIVE);
    assert!((1.0 / down[199]).is_finite());
}

#[test]
fn s16_hysteresis_keeps_the_scale_at_first() {
    // DeepSpeed and Megatron: two in a row halve once; what was used up comes back with growth only.
    let config = config().with_hysteresis(2).with_growth_interval(3);
    let sequence = [
        OVERFLOW, OVERFLOW, OVERFLOW, // kept, halved, and halved again
        GOOD, OVERFLOW, // a good step does not refill
        GOOD, GOOD, GOOD, // growth does
        OVERFLOW, OVERFLOW,
    ];
    let expected = [
        1024.0, 512.0, 256.0, 256.0, 128.0, 128.0, 128.0, 256.0, 256.0, 128.0,
    ];
    assert_eq!(scales(&config, &sequence), expected);
}

#[test]
fn s16_consecutive_hysteresis_refills_at_each_good_step() {
    let config = config()
        .with_hysteresis(2)
        .with_consecutive_hysteresis(true);
    let sequence = [OVERFLOW, GOOD, OVERFLOW, GOOD, OVERFLOW, OVERFLOW];
    let expected = [1024.0, 1024.0, 1024.0, 1024.0, 1024.0, 512.0];
    assert_eq!(scales(&config, &sequence), expected);
}

#[test]
fn growth_stops_at_the_largest_finite_scale() {
    let largest = 2.0_f32.powi(127);
    let config = config().with_init_scale(largest).with_growth_interval(1);
    assert_eq!(scales(&config, &[GOOD, GOOD]), [largest, largest]);
}

#[test]
fn options_that_no_scaler_can_have_are_values_that_name_them() {
    let new = GradScalerConfig::new;
    let invalid = [
        (new().with_min_scale(0.0), "min_scale"),
        (new().with_min_scale(1e-40), "min_scale"), // its inverse is infinite
        (new().with_min_scale(f32::NAN), "min_scale"),
        (new().with_init_scale(f32::INFINITY), "init_scale"),
        (new().with_init_scale(-1.0), "init_scale"),
        (new().with_init_scale(0.5), "init_scale"), // below the floor
        (new().with_growth_factor(1.0), "growth_factor"),
        (new().with_growth_factor(f32::NAN), "growth_factor"),
        (new().with_backoff_factor(1.0), "backoff_factor"),
        (new().with_backoff_factor(0.0), "backoff_factor"),
        (new().with_growth_interval(0), "growth_interval"),
        (new().with_hysteresis(0), "hysteresis"),
    ];
    for (config, option) in invalid {
        let message = config.init().unwrap_err().to_string();
        assert!(message.starts_with(&format!("`{option}`")), "{message}");
    }
}

/// The rule of Megatron's `DynamicGradScaler`, written once more, on sequences of all kinds; reloaded now and then.
#[test]
fn s16_is_megatrons_rule_on_any_sequence() {
    let mut state = 1_u64;
    let mut below = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % n
    };
    for case in 0..300 {
        let interval = usize::try_from(below(5) + 1).unwrap();
        let hysteresis = usize::try_from(below(4) + 1).unwrap();
        let min_scale = [0.5, 1.0, 16.0][usize::try_from(below(3)).unwrap()];
        let config = GradScalerConfig::new()
            .with_init_scale(256.0)
            .with_growth_interval(interval)
            .with_hysteresis(hysteresis)
            .with_min_scale(min_scale);
        let mut scaler = config.init().unwrap();
        let (mut scale, mut growth, mut left) = (256.0_f32, 0, hysteresis);
        for _ in 0..60 {
            let found = below(3) == 0;
            scaler.update_with(found);
            if found {
                growth = 0;
                left = left.saturating_sub(1);
                if left == 0 {
                    scale = (scale * 0.5).max(min_scale);
                }
            } else {
                growth += 1;
                if growth == interval {
                    (growth, left) = (0, hysteresis);
                    scale *= 2.0;
                }
            }
            assert_eq!(scaler.scale().to_bits(), scale.to_bits(), "sequence {case}");
            if below(7) == 0 {
                let record = scaler.to_record();
                scaler = config.init().unwrap().load_record(&record).unwrap();
            }
        }
    }
}
