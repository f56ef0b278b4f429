//! The trainings of a task side by side.

use serde::Serialize;

use super::{Recipe, Task, Trained};
use crate::table::table;

/// A training, as a line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What was trained.
    pub task: &'static str,
    /// How.
    pub recipe: &'static str,
    /// See [`Trained`].
    pub retained_mib: Option<f64>,
    /// See [`Trained`].
    pub loss: f64,
    /// See [`Trained`].
    pub skipped_steps: usize,
    /// See [`Trained`].
    pub final_scale: Option<f32>,
    /// See [`Trained`].
    pub step_seconds: Option<f64>,
}

impl Row {
    /// What a training came to.
    #[must_use]
    pub fn new(task: Task, recipe: Recipe, trained: &Trained) -> Self {
        Self {
            task: task.name(),
            recipe: recipe.name(),
            retained_mib: trained.retained_mib,
            loss: trained.loss,
            skipped_steps: trained.skipped,
            final_scale: trained.scale,
            step_seconds: trained.seconds,
        }
    }
}

impl Task {
    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Digits => "digits",
            Self::Characters => "characters",
        }
    }
}

impl Recipe {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::F16 => "f16 + scaler",
        }
    }
}

/// What the trainings took and came to, each with the ratio to the first.
#[must_use]
pub fn overview(rows: &[Row]) -> String {
    let head = [
        "", "", "retained", "", "step", "", "loss", "skipped", "scale",
    ];
    let mut cells = vec![head.map(str::to_owned)];
    for row in rows {
        let first = rows.iter().find(|first| first.task == row.task);
        let ratio = |of: fn(&Row) -> Option<f64>| {
            let ratio = of(row).zip(first.and_then(of));
            ratio.map_or_else(String::new, |(row, first)| format!("{:.2}", row / first))
        };
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        cells.push([
            row.task.to_owned(),
            row.recipe.to_owned(),
            or_dash(row.retained_mib.map(|mib| format!("{mib:.2} MiB"))),
            ratio(|row| row.retained_mib),
            or_dash(row.step_seconds.map(|s| format!("{:.0} ms", s * 1e3))),
            ratio(|row| row.step_seconds),
            format!("{:.4}", row.loss),
            row.skipped_steps.to_string(),
            or_dash(row.final_scale.map(|scale| scale.to_string())),
        ]);
    }
    table(&cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_compared_with_the_first_of_their_task() {
        let row = |task, recipe, retained_mib, final_scale| Row {
            task,
            recipe,
            retained_mib: Some(retained_mib),
            loss: 0.25,
            skipped_steps: 1,
            final_scale,
            step_seconds: Some(0.01),
        };
        let rows = [
            row("digits", "f32", 4.0, None),
            row("digits", "f16 + scaler", 3.0, Some(512.0)),
            row("characters", "f32", 8.0, None),
        ];
        let text = overview(&rows);
        let words = |line| text.lines().nth(line).unwrap().split_whitespace();
        let expected = "digits f16 + scaler 3.00 MiB 0.75 10 ms 1.00 0.2500 1 512";
        assert_eq!(words(2).collect::<Vec<_>>().join(" "), expected);
        assert!(words(3).any(|word| word == "1.00"));
    }
}
