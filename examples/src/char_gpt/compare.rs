//! Two trainings side by side.

use super::Trained;
use crate::table::{compared, table};

/// What the two took, and how many times more or less that was for the second.
#[must_use]
pub fn overview(plain: &Trained, annotated: &Trained) -> String {
    let mib = |mib| format!("{mib:.1} MiB");
    let milliseconds = |seconds| format!("{:.0} ms", seconds * 1e3);
    table(&[
        ["", "plain", "annotated", ""].map(str::to_owned),
        compared(
            "retained after forward",
            [plain.retained_mib, annotated.retained_mib],
            mib,
        ),
        compared("peak of a step", [plain.peak_mib, annotated.peak_mib], mib),
        compared(
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
}
