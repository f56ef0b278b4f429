//! Measuring strategies side by side, in one process.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};

use burn::tensor::{Device, Tensor};
use remat::memory::{Report, measure};
use serde::Serialize;

use crate::models::{Model, Strategy, Workload, strategy};
use crate::statistics::{cosine, max_relative_error, median};

/// What was measured of one strategy. Memory is `None` where it cannot be measured: a GPU's memory
/// pool keeps no peak.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The strategy's name.
    pub strategy: &'static str,
    /// Live bytes after the forward pass and the loss, minus those before.
    pub retained_bytes: Option<isize>,
    /// The most live bytes of a step, minus those before it.
    pub peak_bytes: Option<usize>,
    /// Time of a step over that of plain burn, the median of pairs.
    pub step_ratio: f64,
    /// The loss.
    pub loss: f32,
    /// The largest relative error of a parameter's gradient, against plain burn. `None` if that has no dropout and the
    /// strategy's model has.
    pub grad_max_rel_err: Option<f64>,
    /// The cosine of the angle between all gradients together and plain burn's, likewise.
    pub grad_cosine: Option<f64>,
}

/// The strategy's model did not draw the parameters of the plain one, so comparing is pointless.
#[derive(Debug)]
pub struct OtherParameters {
    strategy: &'static str,
    plain: &'static str,
}

impl std::error::Error for OtherParameters {}

impl fmt::Display for OtherParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the model of `{}` does not start from the parameters of `{}`: \
             its fields must be initialized in the same order",
            self.strategy, self.plain,
        )
    }
}

/// Comparisons with plain burn, whose models stay for all of them.
pub struct Comparison {
    workload: Workload,
    device: Device,
    seed: u64,
    pairs: usize,
    /// By name, since the first strategy that asked for it.
    plain: BTreeMap<&'static str, Rc<Plain>>,
}

/// The plain model of a workload.
struct Plain {
    run: Run,
    parameters: Vec<Vec<f32>>,
    gradients: Vec<Vec<f32>>,
}

impl Comparison {
    /// `pairs` is the number of steps that are timed.
    #[must_use]
    pub fn new(workload: Workload, device: Device, seed: u64, pairs: usize) -> Self {
        Self {
            workload,
            device: device.autodiff(),
            seed,
            pairs,
            plain: BTreeMap::new(),
        }
    }

    /// Measures a strategy; calls `timed` after every timed pair of steps.
    ///
    /// # Errors
    ///
    /// If its model has other parameters than the plain one.
    pub fn measure(
        &mut self,
        strategy: Strategy,
        timed: impl FnMut(),
    ) -> Result<Row, OtherParameters> {
        let plain = self.plain(strategy.against);
        let run = self.start(&strategy);
        if run.model.parameters() != plain.parameters {
            return Err(OtherParameters {
                strategy: strategy.name,
                plain: strategy.against,
            });
        }
        run.warm_up();
        let (loss, gradients) = run.loss_and_gradients(self.seed);
        Ok(Row {
            strategy: strategy.name,
            retained_bytes: run.forward_memory().retained(),
            peak_bytes: run.step_memory().peak(),
            step_ratio: self.step_ratio(&plain.run, &run, timed),
            loss,
            grad_max_rel_err: strategy
                .comparable
                .then(|| max_relative_error(&plain.gradients, &gradients)),
            grad_cosine: strategy
                .comparable
                .then(|| cosine(&plain.gradients, &gradients)),
        })
    }

    fn plain(&mut self, name: &'static str) -> Rc<Plain> {
        if let Some(plain) = self.plain.get(name) {
            return Rc::clone(plain);
        }
        let plain = strategy(name).expect("`against` names a strategy");
        let run = self.start(&plain);
        // Before the first step: running statistics are among them, and move.
        let parameters = run.model.parameters();
        run.warm_up();
        let plain = Rc::new(Plain {
            parameters,
            gradients: run.loss_and_gradients(self.seed).1,
            run,
        });
        self.plain.insert(name, Rc::clone(&plain));
        plain
    }

    fn start(&self, strategy: &Strategy) -> Run {
        self.device.seed(self.seed);
        let model = (strategy.build)(&self.workload, &self.device);
        Run { model }
    }

    /// Steps of the two take turns, so that what disturbs the machine disturbs both, and neither is
    /// always the first of a pair.
    fn step_ratio(&self, plain: &Run, run: &Run, mut timed: impl FnMut()) -> f64 {
        let ratios = (0..self.pairs).map(|pair| {
            let (before, other) = if pair % 2 == 0 {
                let before = plain.timed_step();
                (before, run.timed_step())
            } else {
                let other = run.timed_step();
                (plain.timed_step(), other)
            };
            timed();
            other.as_secs_f64() / before.as_secs_f64()
        });
        median(ratios.collect()).unwrap_or(f64::NAN)
    }
}

/// A model that takes steps.
struct Run {
    model: Box<dyn Model>,
}

impl Run {
    fn loss(&self) -> Tensor<1> {
        self.model.loss()
    }

    /// A training step without the optimizer: forward, loss, backward, and dropping the gradients.
    fn step(&self) {
        self.model.backward(self.loss());
    }

    /// What the first steps set up (threads, buffers of the kernels) belongs to no strategy.
    fn warm_up(&self) {
        self.step();
        self.step();
    }

    fn timed_step(&self) -> Duration {
        let start = Instant::now();
        self.step();
        self.finish();
        start.elapsed()
    }

    fn forward_memory(&self) -> Report {
        let (loss, report) = measure(self.model.device(), || self.loss());
        self.model.backward(loss); // sweeps the graph
        report
    }

    fn step_memory(&self) -> Report {
        measure(self.model.device(), || self.step()).1
    }

    fn loss_and_gradients(&self, seed: u64) -> (f32, Vec<Vec<f32>>) {
        self.model.device().seed(seed); // of dropout
        let loss = self.loss();
        let gradients = self.model.backward(loss.clone());
        (loss.into_scalar(), self.model.gradients(&gradients))
    }

    /// Waits for the device, which runs behind the program unless it is the CPU.
    fn finish(&self) {
        if let Err(error) = self.model.device().sync() {
            panic!("the device failed: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{STRATEGIES, TRANSFORMER};

    #[test]
    fn a_row_has_the_keys_that_its_readers_expect() {
        let row = Row {
            strategy: "plain",
            retained_bytes: Some(-1),
            peak_bytes: None,
            step_ratio: 1.5,
            loss: 0.1,
            grad_max_rel_err: Some(0.0),
            grad_cosine: Some(1.0),
        };
        assert_eq!(
            serde_json::to_string(&row).unwrap(),
            r#"{"strategy":"plain","retained_bytes":-1,"peak_bytes":null,"step_ratio":1.5,"loss":0.1,"grad_max_rel_err":0.0,"grad_cosine":1.0}"#
        );
    }

    #[test]
    fn every_strategy_computes_what_plain_burn_does() {
        let _turn = crate::alone();
        let workload = Workload {
            layers: 2,
            dim: 8,
            heads: 2,
            batch: 2,
            seq: 4,
            dropout: 0.0,
        };
        let mut comparison = Comparison::new(workload, Device::flex(), 7, 2);
        let rows = STRATEGIES
            .iter()
            .filter(|strategy| strategy.against == TRANSFORMER);
        let rows = rows.map(|strategy| {
            let mut pairs = 0;
            let row = comparison.measure(*strategy, || pairs += 1).unwrap();
            assert_eq!(pairs, 2, "{}", strategy.name);
            row
        });
        let rows: Vec<_> = rows.collect();
        for row in &rows {
            if let Some(error) = row.grad_max_rel_err {
                let low = row.strategy.contains("f16");
                let off = (row.loss / rows[0].loss - 1.0).abs();
                assert!(off <= if low { 0.01 } else { 0.0 }, "{row:?}");
                // Gradients from compressed values, or in 16 bits, are another thing.
                let limit = if low || row.strategy.contains("quantize") {
                    1.0
                } else {
                    1e-3
                };
                assert!(error < limit, "{row:?}");
                assert!(!low || row.grad_cosine > Some(0.999), "{row:?}");
            }
            assert!(row.step_ratio > 0.0, "{row:?}");
            // This program counts no memory, and says so.
            assert_eq!((row.retained_bytes, row.peak_bytes), (None, None));
        }
    }
}
