//! What the second run of a segment has to give.

use super::fingerprint::Fingerprint;
use super::options::Label;
use crate::tree::{TensorTree, TensorVisitor};
use burn::tensor::{Bool, DType, Int, Shape, Tensor};
use std::sync::OnceLock;

/// The outputs of the first run, as far as they are compared.
pub(super) struct Expected(Vec<Output>);

struct Output {
    shape: Shape,
    dtype: DType,
    /// The values, in debug builds.
    fingerprint: Option<Fingerprint>,
}

impl Expected {
    /// `exact` says whether the second run sees the same inputs, or compressed ones: then values are not compared.
    pub(super) fn of<O: TensorTree>(outputs: &O, exact: bool) -> Self {
        let mut collect = Collect {
            outputs: Vec::new(),
            values: exact && compares_values(),
        };
        outputs.visit_tensors(&mut collect);
        Self(collect.outputs)
    }

    /// Compares before any gradient is computed.
    pub(super) fn check<O: TensorTree>(&self, outputs: &O, label: &Label) {
        let exact = self.0.iter().any(|output| output.fingerprint.is_some());
        let again = Self::of(outputs, exact);
        if self.0.len() != again.0.len() {
            label.fail(format_args!(
                "the forward pass gave {} tensors, its second run in the backward pass {}. A layer \
                 that runs again must do the same each time.",
                self.0.len(),
                again.0.len(),
            ));
        }
        for (index, (first, second)) in self.0.iter().zip(&again.0).enumerate() {
            first.check(second, index, label);
        }
    }
}

impl Output {
    fn check(&self, again: &Self, index: usize, label: &Label) {
        if (&self.shape, self.dtype) != (&again.shape, again.dtype) {
            label.fail(format_args!(
                "output {index} was {:?} {:?} in the forward pass, but {:?} {:?} when it was run \
                 again in the backward pass. A layer that runs again must do the same each time: \
                 look for state, counters or precision settings that changed in between.",
                self.dtype, self.shape, again.dtype, again.shape,
            ));
        }
        if let (Some(first), Some(second)) = (&self.fingerprint, &again.fingerprint)
            && !first.matches(second)
        {
            label.fail(format_args!(
                "output {index} had other values when it was run again in the backward pass, so \
                 its gradient would be wrong. Look for random numbers that do not come from the \
                 device's generator (or a `deterministic` that is not), for state that changed in \
                 between, or for another thread drawing from the device. (REMAT_CHECK=0 turns this \
                 check off.)"
            ));
        }
    }
}

/// Debug builds compare values; `REMAT_CHECK=1` does in any build, `REMAT_CHECK=0` in none. It
/// reads every output back, twice.
pub(in super::super) fn compares_values() -> bool {
    static ON: OnceLock<bool> = OnceLock::new();
    *ON.get_or_init(|| match std::env::var("REMAT_CHECK").as_deref() {
        Ok("0" | "false" | "off" | "") => false,
        Ok(_) => true,
        Err(_) => cfg!(debug_assertions),
    })
}

struct Collect {
    outputs: Vec<Output>,
    values: bool,
}

impl Collect {
    fn add(&mut self, shape: Shape, dtype: DType, fingerprint: impl FnOnce() -> Fingerprint) {
        self.outputs.push(Output {
            shape,
            dtype,
            fingerprint: self.values.then(fingerprint),
        });
    }
}

impl TensorVisitor for Collect {
    fn visit_float<const D: usize>(&mut self, tensor: &Tensor<D>) {
        self.add(tensor.shape(), tensor.dtype(), || Fingerprint::of(tensor));
    }

    fn visit_int<const D: usize>(&mut self, tensor: &Tensor<D, Int>) {
        self.add(tensor.shape(), tensor.dtype(), || Fingerprint::of(tensor));
    }

    fn visit_bool<const D: usize>(&mut self, tensor: &Tensor<D, Bool>) {
        self.add(tensor.shape(), tensor.dtype(), || Fingerprint::of(tensor));
    }
}
