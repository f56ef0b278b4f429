//! The few statistics that the programs report.

/// The value in the middle, or the mean of the two that are; `None` of nothing.
#[must_use]
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (below, above) = (
        values.get(values.len().wrapping_sub(1) / 2)?,
        values.get(values.len() / 2)?,
    );
    Some(below.midpoint(*above))
}

/// The largest relative error of a parameter's gradient.
///
/// For each parameter that is the norm of the difference to the reference, over the norm of the
/// reference's gradient. Some gradients are truly 0 (a key bias moves every score of a row alike,
/// which softmax does not see) and what is there is rounding: none counts as smaller than
/// `FLOOR` times the norm of all gradients together.
///
/// NaN if a gradient is.
///
/// # Panics
///
/// If the two are not gradients of the same parameters.
#[must_use]
pub fn max_relative_error(reference: &[Vec<f32>], other: &[Vec<f32>]) -> f64 {
    assert_eq!(reference.len(), other.len(), "parameters");
    let floor = FLOOR * norm(reference.iter().flatten().copied().map(f64::from));
    let errors = reference.iter().zip(other).map(|(reference, other)| {
        assert_eq!(reference.len(), other.len(), "values of a parameter");
        let pairs = reference.iter().zip(other);
        let difference = norm(pairs.map(|(a, b)| f64::from(*a) - f64::from(*b)));
        if difference == 0.0 {
            return 0.0; // also where there is no gradient at all
        }
        difference / norm(reference.iter().copied().map(f64::from)).max(floor)
    });
    // `f64::max` prefers any number to NaN.
    errors.fold(0.0, |max, error| {
        if error > max || error.is_nan() {
            error
        } else {
            max
        }
    })
}

const FLOOR: f64 = 1e-4;

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}

/// The cosine of the angle between all gradients together.
#[must_use]
pub fn cosine(expected: &[Vec<f32>], found: &[Vec<f32>]) -> f64 {
    let dot = |a: &[Vec<f32>], b: &[Vec<f32>]| {
        let pairs = a.iter().flatten().zip(b.iter().flatten());
        pairs
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum::<f64>()
    };
    dot(expected, found) / (dot(expected, expected) * dot(found, found)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_does_not_depend_on_the_order() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(vec![7.0]), Some(7.0));
        assert_eq!(median(vec![]), None);
    }

    fn error(reference: &[&[f32]], other: &[&[f32]]) -> f64 {
        let owned = |all: &[&[f32]]| all.iter().map(|one| one.to_vec()).collect::<Vec<_>>();
        max_relative_error(&owned(reference), &owned(other))
    }

    fn assert_near(value: f64, expected: f64) {
        assert!(
            (value / expected - 1.0).abs() < 1e-6,
            "{value}, not {expected}"
        );
    }

    #[test]
    fn equal_gradients_have_no_error() {
        let exact = |gradients: &[&[f32]]| error(gradients, gradients) <= 0.0;
        assert!(exact(&[&[1.0, 2.0], &[0.0]]));
        assert!(exact(&[&[0.0]]));
    }

    #[test]
    fn the_worst_parameter_counts() {
        assert_near(error(&[&[3.0, 4.0], &[1.0]], &[&[3.0, 4.5], &[1.01]]), 0.1);
        assert_near(error(&[&[3.0, 4.0], &[1.0]], &[&[3.0, 4.0], &[1.5]]), 0.5);
    }

    #[test]
    fn a_gradient_of_zero_is_compared_with_all_of_them() {
        assert_near(error(&[&[1.0], &[0.0]], &[&[1.0], &[1e-6]]), 1e-2);
    }

    #[test]
    fn nan_is_not_lost() {
        assert!(error(&[&[1.0], &[1.0]], &[&[f32::NAN], &[1.5]]).is_nan());
        assert!(error(&[&[1.0], &[1.0]], &[&[1.5], &[f32::NAN]]).is_nan());
    }

    #[test]
    fn the_cosine_is_of_all_together() {
        let gradients = [vec![3.0], vec![0.0, 4.0]];
        assert!((cosine(&gradients, &gradients) - 1.0).abs() < 1e-12);
        let other = [vec![0.0], vec![0.0, 1.0]];
        assert!((cosine(&gradients, &other) - 0.8).abs() < 1e-12);
    }
}
