//! The gradients of a model, by the paths of its parameters.

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Gradients, Tensor};

/// The gradient of one parameter.
pub(super) struct Gradient {
    pub(super) path: String,
    values: Vec<f64>,
}

impl Gradient {
    pub(super) fn norm(&self) -> f64 {
        dot(&self.values, &self.values).sqrt()
    }

    /// The norm of the difference.
    pub(super) fn distance(&self, other: &Self) -> f64 {
        let pairs = self.values.iter().zip(&other.values);
        pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    /// The cosine of the angle between the two; 1 if both are zero.
    pub(super) fn cosine(&self, other: &Self) -> f64 {
        let norms = self.norm() * other.norm();
        if norms == 0.0 {
            return f64::from(u8::from(self.norm() == other.norm()));
        }
        dot(&self.values, &other.values) / norms
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Those of all parameters that have one, in the order of the parameters.
pub(super) fn gradients<M: Module>(model: &M, grads: &Gradients) -> Vec<Gradient> {
    let mut collect = Collect {
        grads,
        path: Vec::new(),
        found: Vec::new(),
    };
    model.visit(&mut collect);
    collect.found
}

struct Collect<'a> {
    grads: &'a Gradients,
    path: Vec<String>,
    found: Vec<Gradient>,
}

impl ModuleVisitor for Collect<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = param.base().grad(self.grads) {
            self.found.push(Gradient {
                path: self.path.join("."),
                values: gradient.into_data().iter().collect(),
            });
        }
    }
}
