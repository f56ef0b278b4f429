//! Two trainings side by side.

use super::{History, Trained};
use crate::gradients::parameters;
use crate::table::{compared, table};

/// What the two came to and took, and how many times more or less that was for the second.
#[must_use]
pub fn overview(plain: &Trained, annotated: &Trained) -> String {
    let trained = [plain, annotated];
    let mib = |mib| format!("{mib:.1} MiB");
    table(&[
        ["", "plain", "annotated", ""].map(str::to_owned),
        result("validation accuracy", trained, |trained| {
            let accuracy = trained.history.accuracies.last()?;
            Some(format!("{accuracy:.2} %"))
        }),
        result("final training loss", trained, |trained| {
            let loss = trained.history.epoch_losses.last()?;
            Some(format!("{loss:.9}"))
        }),
        compared(
            "retained after forward",
            trained.map(|trained| trained.memory.retained_mib),
            mib,
        ),
        compared(
            "peak of a step",
            trained.map(|trained| trained.memory.peak_mib),
            mib,
        ),
        compared(
            "time of the training",
            trained.map(|trained| Some(trained.time.as_secs_f64())),
            |seconds| format!("{seconds:.1} s"),
        ),
    ])
}

/// A row of two numbers that should be the same.
fn result(
    name: &str,
    trained: [&Trained; 2],
    cell: impl Fn(&Trained) -> Option<String>,
) -> [String; 4] {
    let [plain, annotated] = trained.map(|trained| cell(trained).unwrap_or_default());
    [name.to_owned(), plain, annotated, String::new()]
}

/// What is not the same in the two trainings, to the last bit.
#[must_use]
pub fn differences(plain: &Trained, annotated: &Trained) -> Vec<&'static str> {
    let [mut plain, annotated] = [plain, annotated].map(parts);
    plain.retain(|part| !annotated.contains(part));
    plain.into_iter().map(|(name, _)| name).collect()
}

fn parts(trained: &Trained) -> Vec<(&'static str, Vec<u64>)> {
    let History {
        losses, accuracies, ..
    } = &trained.history;
    let parameters = parameters(&trained.model).concat();
    vec![
        ("losses", bits(losses)),
        ("validation accuracies", bits(accuracies)),
        ("trained models", bits(&parameters)),
    ]
}

fn bits<T: Copy + Into<f64>>(numbers: &[T]) -> Vec<u64> {
    numbers
        .iter()
        .map(|number| (*number).into().to_bits())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digits::{Cnn, StepMemory};
    use burn::tensor::Device;
    use std::time::Duration;

    fn trained(model: Cnn, losses: Vec<f64>) -> Trained {
        let history = History {
            losses,
            ..History::default()
        };
        let memory = StepMemory {
            retained_mib: None,
            peak_mib: None,
        };
        Trained {
            model,
            history,
            memory,
            time: Duration::ZERO,
        }
    }

    #[test]
    fn trainings_are_compared_bit_by_bit() {
        let [model, other] = [(); 2].map(|()| Cnn::new(&Device::flex()));
        let plain = trained(model.clone(), vec![1.0, 0.0]);
        let same = trained(model.clone(), vec![1.0, 0.0]);
        assert!(differences(&plain, &same).is_empty());
        let negative = trained(model, vec![1.0, -0.0]);
        assert_eq!(differences(&plain, &negative), ["losses"]);
        let other = trained(other, vec![1.0, 0.0]);
        assert_eq!(differences(&plain, &other), ["trained models"]);
    }
}
