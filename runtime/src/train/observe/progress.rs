//! A progress bar.

use super::{Epoch, Observer, ObserverError};
use crate::train::train_loop::{Outcome, Position, Summary, Update};
use indicatif::{HumanBytes, ProgressStyle};
use std::fmt::Write;

/// Shows how training goes: windows of the epoch, loss, what is trained on in a second, live memory, and with a scaler its
/// scale; steps that were skipped. Writes to the error stream, and nothing where that is no terminal.
///
/// ```
/// # use burn::{nn::LinearConfig, optim::SgdConfig, tensor::Device};
/// # use remat::train::TrainLoop;
/// use remat::train::observe::ProgressBar;
///
/// # let device = Device::flex().autodiff();
/// # let model = LinearConfig::new(2, 1).init(&device);
/// let training = TrainLoop::new(model, SgdConfig::new().init(), 0.1)
///     .observe(ProgressBar::new("tokens"));
/// ```
#[derive(Debug)]
pub struct ProgressBar {
    /// What weights count.
    unit: &'static str,
    bar: indicatif::ProgressBar,
}

const TEMPLATE: &str = "{prefix} {bar:24} {pos}/{len} [{elapsed}] {msg}";
const ENDLESS: &str = "{prefix} {spinner} {pos} [{elapsed}] {msg}";

impl ProgressBar {
    /// Weights count these: `"tokens"`, `"samples"`.
    #[must_use]
    pub fn new(unit: &'static str) -> Self {
        Self {
            unit,
            bar: indicatif::ProgressBar::no_length(),
        }
    }

    fn message(&self, update: &Update) -> String {
        let mut text = format!(
            "loss {:.4}, {:.0} {}/s",
            update.loss,
            update.per_second(),
            self.unit
        );
        let mut add = |part: String| {
            let _ = write!(text, ", {part}");
        };
        if let Some(bytes) = update.live_bytes {
            add(format!("{} live", HumanBytes(bytes as u64)));
        }
        if let Some(bytes) = update.peak_bytes {
            add(format!("{} at most", HumanBytes(bytes as u64)));
        }
        if let Some(scale) = update.scale {
            add(format!("scale {scale}"));
        }
        if update.position.skipped > 0 {
            add(format!("{} skipped", update.position.skipped));
        }
        text
    }
}

impl Observer for ProgressBar {
    /// Who calls micro-batches by hand has no epoch to begin.
    fn begin(&mut self, _: &Position) -> Result<(), ObserverError> {
        self.bar.set_style(ProgressStyle::with_template(ENDLESS)?);
        Ok(())
    }

    fn epoch(&mut self, epoch: &Epoch) -> Result<(), ObserverError> {
        let prefix = format!("epoch {}/{}", epoch.number + 1, epoch.epochs);
        let template = epoch.windows.map_or(ENDLESS, |_| TEMPLATE);
        self.bar.reset();
        self.bar.set_style(ProgressStyle::with_template(template)?);
        self.bar.set_prefix(prefix);
        match epoch.windows {
            Some(windows) => self.bar.set_length(windows as u64),
            None => self.bar.unset_length(),
        }
        self.bar.set_position(epoch.begun_after as u64);
        Ok(())
    }

    fn update(&mut self, update: &Update) -> Result<(), ObserverError> {
        if let Outcome::Skipped(dropped) = &update.outcome {
            let window = update.position.windows;
            self.bar
                .println(format!("window {window} is skipped: {dropped}"));
        }
        self.bar.set_message(self.message(update));
        self.bar.inc(1);
        Ok(())
    }

    fn end(&mut self, _: &Summary) -> Result<(), ObserverError> {
        self.bar.abandon();
        Ok(())
    }
}
