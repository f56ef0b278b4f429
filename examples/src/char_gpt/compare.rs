//! Two trainings side by side.

use super::Trained;
use crate::table::table;

/// What the two took, and how many times more or less that was for the second.
#[must_use]
pub fn overview(plain: &Trained, annotated: &Trained) -> String {
    let mib = |mib| format!("{mib:.1} MiB");
    let milliseconds = |seconds| format!("{:.0} ms", seconds * 1e3);
    table(&[
        ["", "plain", "annotated", ""].map(str::to_owned),
        row(
            "retained after forward",
            [plain.retained_mib, annotated.retained_mib],
            mib,
        ),
        row("peak of a step", [plain.peak_mib, annotated.peak_mib], mib),
        row(
            "time of a step",
            [plain.seconds, annotated.seconds],
            milliseconds,
        ),
        [
            "final loss".to_owned(),
            last_loss(plain),
            last_loss(annotated),
            String::new(),
        ],
    ])
}

/// How many losses of the two trainings are the same number, to the last bit.
#[must_use]
pub fn equal_losses(plain: &[f32], annotated: &[f32]) -> usize {
    let pairs = plain.iter().zip(annotated);
    pairs.filter(|(a, b)| a.to_bits() == b.to_bits()).count()
}

fn row(name: &str, values: [Option<f64>; 2], unit: impl Fn(f64) -> String) -> [String; 4] {
    let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), &unit);
    let [plain, annotated] = values;
    let change = plain
        .zip(annotated)
        .map(|(plain, annotated)| change(plain, annotated));
    [
        name.to_owned(),
        cell(plain),
        cell(annotated),
        change.unwrap_or_default(),
    ]
}

fn change(from: f64, to: f64) -> String {
    if to < from {
        format!("{:.1}x less", from / to)
    } else {
        format!("{:.2}x more", to / from)
    }
}

fn last_loss(trained: &Trained) -> String {
    trained
        .losses
        .last()
        .map_or_else(String::new, f32::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_compared_bit_by_bit() {
        assert_eq!(equal_losses(&[1.0, 2.0, 0.0], &[1.0, 2.000_000_2, -0.0]), 1);
        assert_eq!(equal_losses(&[f32::NAN], &[f32::NAN]), 1);
    }

    #[test]
    fn changes_are_said_in_words() {
        assert_eq!(change(100.0, 5.0), "20.0x less");
        assert_eq!(change(100.0, 125.0), "1.25x more");
    }

    #[test]
    fn what_was_not_measured_is_a_dash() {
        let mib = |mib: f64| format!("{mib} MiB");
        assert_eq!(
            row("peak", [Some(1.5), None], mib),
            ["peak", "1.5 MiB", "-", ""]
        );
    }
}
