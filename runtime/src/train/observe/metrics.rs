//! A line of JSON for every window.

use super::{Observer, ObserverError};
use crate::train::train_loop::{Outcome, Position, Summary, Update};
use burn::serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
#[cfg(feature = "plot")]
use std::path::Path;
use std::path::PathBuf;

/// Writes a line of JSON for every window: epoch and windows so far, loss, micro-batches, weight, learning rate and norm of
/// the step or why there was none, loss scale, seconds, weight per second, live and peak bytes. What is not known is `null`.
///
/// ```
/// # use burn::{nn::LinearConfig, optim::SgdConfig, tensor::{Device, Tensor}};
/// # use remat::train::{MicroBatch, TrainLoop};
/// use remat::train::observe::Metrics;
///
/// # let device = Device::flex().autodiff();
/// # let model = LinearConfig::new(2, 1).init(&device);
/// # let path = std::env::temp_dir().join(format!("remat-doc-{}.jsonl", std::process::id()));
/// let mut training = TrainLoop::new(model, SgdConfig::new().init(), 0.1)
///     .observe(Metrics::create(&path));
/// # let loader = |_| [Tensor::<2>::ones([1, 2], &device)];
/// training.run(3, loader, |model, x| MicroBatch::new(model.forward(x).mean(), 1))?;
///
/// let lines = std::fs::read_to_string(&path)?;
/// assert_eq!(lines.lines().count(), 3);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Metrics {
    path: PathBuf,
    keep: bool,
    file: Option<File>,
    #[cfg(feature = "plot")]
    plot: Option<PathBuf>,
}

impl Metrics {
    /// A new file; one that is there is overwritten when training begins. If that is [run](crate::train::TrainLoop::run)
    /// further, so is the file.
    pub fn create(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            keep: false,
            file: None,
            #[cfg(feature = "plot")]
            plot: None,
        }
    }

    /// Goes on with a file, for a training that goes on: lines of windows after the one that it was saved at are removed,
    /// since those are trained again.
    pub fn append(path: impl Into<PathBuf>) -> Self {
        Self {
            keep: true,
            ..Self::create(path)
        }
    }

    /// Draws loss and memory of all windows into this SVG file when training ends (feature `plot`).
    #[cfg(feature = "plot")]
    #[must_use]
    pub fn plot(self, svg: impl Into<PathBuf>) -> Self {
        Self {
            plot: Some(svg.into()),
            ..self
        }
    }

    /// What is kept is not written again: it could be lost meanwhile.
    fn open(&self, position: &Position) -> io::Result<File> {
        if !self.keep {
            return File::create(&self.path);
        }
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        let mut file = options.open(&self.path)?;
        let text = fs::read_to_string(&self.path)?;
        let kept = before(&text, position.windows)?;
        file.set_len(kept.len() as u64)?;
        file.seek(SeekFrom::End(0))?;
        if !kept.is_empty() && !kept.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        Ok(file)
    }
}

/// The lines of the first windows.
fn before(text: &str, windows: usize) -> io::Result<&str> {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        match serde_json::from_str::<Line>(line) {
            Ok(parsed) if parsed.window <= windows => end += line.len(),
            Ok(_) => break,
            // The program was killed, or the disk full, while it was written.
            Err(error) if error.is_eof() && !line.ends_with('\n') => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(&text[..end])
}

impl Observer for Metrics {
    fn begin(&mut self, position: &Position) -> Result<(), ObserverError> {
        let file = self.open(position);
        let file = file.map_err(|error| format!("{}: {error}", self.path.display()))?;
        self.file = Some(file);
        self.keep = true;
        Ok(())
    }

    fn update(&mut self, update: &Update) -> Result<(), ObserverError> {
        let line = serde_json::to_string(&Line::of(update))? + "\n";
        if let Some(file) = &mut self.file {
            // In one piece, so that whoever reads the file meanwhile finds whole lines.
            let written = file.write_all(line.as_bytes());
            written.map_err(|error| format!("{}: {error}", self.path.display()))?;
        }
        Ok(())
    }

    fn end(&mut self, _: &Summary) -> Result<(), ObserverError> {
        self.file = None;
        #[cfg(feature = "plot")]
        if let Some(svg) = &self.plot {
            let lines = Line::read_all(&self.path);
            let lines = lines.map_err(|error| format!("{}: {error}", self.path.display()))?;
            super::plot::draw(&lines, svg)?;
        }
        Ok(())
    }
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(crate = "burn::serde")]
pub(super) struct Line {
    pub(super) epoch: usize,
    /// Counted from 1.
    pub(super) window: usize,
    pub(super) loss: Option<f64>,
    micro_batches: usize,
    left_out: usize,
    weight: f64,
    rate: Option<f64>,
    norm: Option<f32>,
    skipped: Option<String>,
    skipped_windows: usize,
    scale: Option<f32>,
    seconds: f64,
    weight_per_second: Option<f64>,
    pub(super) live_bytes: Option<usize>,
    pub(super) peak_bytes: Option<usize>,
}

impl Line {
    fn of(update: &Update) -> Self {
        let (rate, norm, skipped) = match &update.outcome {
            Outcome::Taken { rate, norm } => (Some(*rate), *norm, None),
            Outcome::Skipped(dropped) => (None, None, Some(dropped.to_string())),
        };
        Self {
            epoch: update.position.epoch,
            window: update.position.windows,
            loss: finite(update.loss),
            micro_batches: update.micro_batches,
            left_out: update.left_out,
            weight: update.weight,
            rate,
            norm,
            skipped,
            skipped_windows: update.position.skipped,
            scale: update.scale,
            seconds: update.time.as_secs_f64(),
            weight_per_second: finite(update.per_second()),
            live_bytes: update.live_bytes,
            peak_bytes: update.peak_bytes,
        }
    }

    #[cfg(feature = "plot")]
    fn read_all(path: &Path) -> Result<Vec<Self>, ObserverError> {
        let text = fs::read_to_string(path)?;
        let lines = text.lines().map(serde_json::from_str);
        Ok(lines.collect::<Result<_, _>>()?)
    }
}

/// JSON has no NaN and no infinity.
fn finite(number: f64) -> Option<f64> {
    Some(number).filter(|number| number.is_finite())
}
