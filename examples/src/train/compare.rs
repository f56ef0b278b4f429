//! The strategies side by side.

use std::error::Error;
use std::time::Duration;

use burn::tensor::Device;
use remat::memory::measure;
use remat::train::observe::{Observer, ObserverError, ProgressBar};
use remat::train::{TrainError, Update};
use serde::Serialize;
use std::sync::mpsc::{Sender, channel};

use super::{Recipe, Settings, loader, micro_batch, training};
use crate::char_gpt::Text;
use crate::table::{mib, table};

/// What a training came to, as a line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its recipe.
    pub name: &'static str,
    /// The most live bytes while it trained, minus those before its model was made: parameters, optimizer's state,
    /// gradients, activations. `None` where it cannot be measured.
    pub peak_bytes: Option<usize>,
    /// The loss of its last step.
    pub final_loss: f64,
    /// Seconds of all steps.
    pub seconds: f64,
}

/// Trains with each recipe for as many steps as the settings say, and calls `done` after each.
///
/// # Errors
///
/// If the settings cannot be, a training fails, or `done` does.
pub fn compare(
    settings: &Settings,
    text: &Text,
    device: &Device,
    mut done: impl FnMut(&Row) -> Result<(), Box<dyn Error>>,
) -> Result<Vec<Row>, Box<dyn Error>> {
    // What the first steps set up (threads, buffers of the kernels) belongs to none.
    let warm_up = Settings {
        steps: 1,
        epochs: 1,
        ..settings.clone()
    };
    measured(Recipe::PLAIN, &warm_up, text, device)?;
    let rows = Recipe::EACH.into_iter().map(|recipe| {
        let row = measured(recipe, settings, text, device)?;
        done(&row)?;
        Ok(row)
    });
    rows.collect()
}

fn measured(
    recipe: Recipe,
    settings: &Settings,
    text: &Text,
    device: &Device,
) -> Result<Row, Box<dyn Error>> {
    let (updates, seen) = channel();
    let (trained, report) = measure(device, || -> Result<(), Box<dyn Error>> {
        let mut training = training(recipe, settings, text, device)?
            .observe(ProgressBar::new("characters"))
            .observe(Watch(updates));
        let loader = |epoch| loader(recipe, settings, text, device, epoch);
        let summary = training.run(settings.epochs, loader, micro_batch);
        summary.map(drop).map_err(TrainError::into)
    });
    trained?;
    let (mut seconds, mut final_loss) = (Duration::ZERO, f64::NAN);
    for (loss, time) in seen {
        (seconds, final_loss) = (seconds + time, loss);
    }
    Ok(Row {
        name: recipe.name,
        peak_bytes: report.peak(),
        final_loss,
        seconds: seconds.as_secs_f64(),
    })
}

/// Loss and time of every step.
struct Watch(Sender<(f64, Duration)>);

impl Observer for Watch {
    fn update(&mut self, update: &Update) -> Result<(), ObserverError> {
        Ok(self.0.send((update.loss, update.time))?)
    }
}

/// What the trainings took and came to, each with the ratio to the first.
#[must_use]
pub fn overview(rows: &[Row]) -> String {
    let head = ["", "peak", "of plain", "time", "of plain", "final loss"];
    let mut cells = vec![head.map(str::to_owned)];
    for row in rows {
        #[allow(clippy::cast_precision_loss, reason = "it is for people to read")]
        let peak = |row: &Row| row.peak_bytes.map(|bytes| bytes as f64);
        let share = peak(row).zip(rows.first().and_then(peak));
        let share = share.map(|(row, plain)| format!("{:.1} %", 100.0 * row / plain));
        let time = rows.first().map(|plain| row.seconds / plain.seconds);
        cells.push([
            row.name.to_owned(),
            mib(row.peak_bytes),
            share.unwrap_or_default(),
            format!("{:.1} s", row.seconds),
            time.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
            format!("{:.4}", row.final_loss),
        ]);
    }
    table(&cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_compared_with_the_first() {
        let row = |name, peak_bytes, seconds| Row {
            name,
            peak_bytes,
            final_loss: 2.5,
            seconds,
        };
        let rows = [
            row("plain", Some(8 << 20), 2.0),
            row("all", Some(2 << 20), 3.0),
            row("elsewhere", None, 1.0),
        ];
        let text = overview(&rows);
        let words = |line| {
            let line = text.lines().nth(line).unwrap();
            line.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words(2), "all 2.0 MiB 25.0 % 3.0 s 1.50 2.5000");
        assert_eq!(words(3), "elsewhere - 1.0 s 0.50 2.5000");
    }
}
