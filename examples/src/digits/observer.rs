//! What burn's learner tells while it trains.

use std::sync::{Arc, Mutex, PoisonError};

use burn::train::logger::{EvaluationProgressLogger, TrainingProgressLogger};
use burn::train::metric::{
    AccuracyMetric, LossMetric, Metric, MetricDefinition, MetricId, NumericEntry,
};
use burn::train::renderer::{
    EvaluationName, MetricState, MetricsRenderer, MetricsRendererEvaluation,
    MetricsRendererTraining,
};
use indicatif::ProgressBar;

/// The metrics of a training.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The loss of every step.
    pub losses: Vec<f64>,
    /// The mean loss of every epoch.
    pub epoch_losses: Vec<f64>,
    /// The validation accuracy of every epoch, in percent.
    pub accuracies: Vec<f64>,
}

/// Shows the metrics at a bar, in place of burn's dashboard, and writes them down.
pub struct Observer {
    bar: ProgressBar,
    loss: MetricId,
    accuracy: MetricId,
    history: Arc<Mutex<History>>,
}

impl Observer {
    /// The bar moves on with every step.
    #[must_use]
    pub fn new(bar: ProgressBar) -> Self {
        Self {
            bar,
            loss: MetricId::new(LossMetric::new().name()),
            accuracy: MetricId::new(AccuracyMetric::new().name()),
            history: Arc::default(),
        }
    }

    /// What is written down, also after the observer was given away.
    #[must_use]
    pub fn history(&self) -> Arc<Mutex<History>> {
        Arc::clone(&self.history)
    }

    fn write(&self, note: impl FnOnce(&mut History)) {
        note(&mut self.history.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl MetricsRendererTraining for Observer {
    fn update_train(&mut self, state: MetricState) {
        match numeric(state) {
            Some((id, NumericEntry::Final(loss))) if id == self.loss => {
                self.write(|history| history.epoch_losses.push(loss));
            }
            Some((id, step)) if id == self.loss => {
                self.write(|history| history.losses.push(step.current()));
                self.bar.inc(1);
            }
            _ => {}
        }
    }

    fn update_valid(&mut self, state: MetricState) {
        match numeric(state) {
            Some((id, NumericEntry::Final(accuracy))) if id == self.accuracy => {
                self.write(|history| history.accuracies.push(accuracy));
                self.bar.set_message(format!("{accuracy:.2} % right"));
            }
            _ => {}
        }
    }
}

fn numeric(state: MetricState) -> Option<(MetricId, NumericEntry)> {
    match state {
        MetricState::Numeric(entry, Some(value)) => Some((entry.metric_id, value)),
        MetricState::Numeric(_, None) | MetricState::Generic(_) => None,
    }
}

/// The metrics say enough.
impl TrainingProgressLogger for Observer {
    fn start(&mut self, _: usize, _: usize, _: Option<usize>, _: Option<&str>) {}
    fn start_split(&mut self, _: &str, _: usize) {}
    fn update_split(&mut self, _: usize) {}
    fn end_split(&mut self) {}
    fn update_epoch(&mut self, _: usize) {}
    fn end(&mut self) {
        self.bar.abandon();
    }
    fn log_event_training(&mut self, _: String) {}
}

impl MetricsRenderer for Observer {
    fn manual_close(&mut self) {}
    fn register_metric(&mut self, _: MetricDefinition) {}
}

/// A renderer must have it; there is no evaluation here.
impl EvaluationProgressLogger for Observer {
    fn start_global_progress(&mut self, _: usize) {}
    fn start_test(&mut self, _: &str, _: usize) {}
    fn update_test_progress(&mut self, _: usize) {}
    fn end_test(&mut self) {}
    fn end_global_progress(&mut self) {}
    fn log_event_evaluation(&mut self, _: String) {}
}

/// As above.
impl MetricsRendererEvaluation for Observer {
    fn update_test(&mut self, _: EvaluationName, _: MetricState) {}
}
