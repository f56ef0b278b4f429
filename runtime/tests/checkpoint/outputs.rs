//! Segments with several outputs, of which the loss may see a part.

use crate::support::{Mlp, assert_as_plain, device, loss, numbers};
use burn::nn::{Linear, LinearConfig, LstmConfig, LstmState};
use burn::tensor::{Int, Tensor};
use remat::{TensorMapper, TensorTree, TensorVisitor, checkpoint};

/// What a detection head might give.
struct Heads {
    scores: Tensor<2>,
    unused: Tensor<2>,
    best: Tensor<2, Int>,
    count: usize,
}

impl TensorTree for Heads {
    fn visit_tensors<V: TensorVisitor>(&self, visitor: &mut V) {
        self.scores.visit_tensors(visitor);
        self.unused.visit_tensors(visitor);
        self.best.visit_tensors(visitor);
    }

    fn map_tensors<M: TensorMapper>(&self, mapper: &mut M) -> Self {
        Self {
            scores: self.scores.map_tensors(mapper),
            unused: self.unused.map_tensors(mapper),
            best: self.best.map_tensors(mapper),
            count: self.count,
        }
    }
}

fn heads(mlp: &Mlp, x: Tensor<2>) -> Heads {
    let h = mlp.up.forward(x.clone());
    Heads {
        best: h.clone().argmax(1),
        unused: h.clone().exp(),
        scores: mlp.down.forward(h) + x,
        count: 7,
    }
}

#[test]
fn one_unused_and_one_integer_output() {
    let device = device();
    let model = Mlp::new(4, &device);
    let x = numbers([3, 4], &device).require_grad();
    assert_as_plain(&model, |model| {
        let out = checkpoint(model, (x.clone(),), |mlp, (x,)| heads(mlp, x));
        assert_eq!((out.best.dims(), out.count), ([3, 1], 7));
        loss(out.scores)
    });
}

#[test]
fn every_output_used() {
    let device = device();
    let model = Mlp::new(4, &device);
    let x = numbers([3, 4], &device).require_grad();
    assert_as_plain(&model, |model| {
        let out = checkpoint(model, (x.clone(),), |mlp, (x,)| heads(mlp, x));
        loss(out.scores) + loss(out.unused)
    });
}

/// C14: a float output that does not depend on anything tracked.
#[test]
fn c14_a_constant_output_beside_a_tracked_one() {
    let device = device();
    let model = Mlp::new(4, &device);
    let x = numbers([3, 4], &device).require_grad();
    assert_as_plain(&model, |model| {
        let (y, ones) = checkpoint(model, (x.clone(),), |mlp, (x,)| {
            let ones = x.ones_like();
            (mlp.forward(x), ones)
        });
        loss(y * ones)
    });
}

#[test]
fn an_output_that_is_an_input() {
    let device = device();
    let model = (LinearConfig::new(4, 4).init(&device), Mlp::new(4, &device));
    let x = numbers([3, 4], &device);
    assert_as_plain(&model, |(first, mlp): &(Linear, Mlp)| {
        let h = first.forward(x.clone());
        let (y, h) = checkpoint(mlp, (h,), |mlp, (h,)| (mlp.forward(h.clone()), h));
        loss(y) + loss(h)
    });
}

/// Two inputs, each with one output; the loss sees one pair only. The other input is the result of
/// an operation, whose backward step burn runs in any case.
#[test]
fn an_input_without_a_part_in_the_loss() {
    let device = device();
    let model = (LinearConfig::new(4, 4).init(&device), Mlp::new(4, &device));
    let x = numbers([3, 4], &device);
    let forward = |(first, mlp): &(Linear, Mlp)| {
        let a = first.forward(x.clone());
        let b = first.forward(x.clone() * 2.0).exp();
        let (ya, _yb) = checkpoint(mlp, (a, b), |mlp, (a, b)| (mlp.forward(a), mlp.forward(b)));
        loss(ya)
    };
    assert_as_plain(&model, forward);
}

#[test]
fn lstm_state() {
    let device = device();
    let model = LstmConfig::new(4, 4, true).init(&device);
    let x = numbers([2, 3, 4], &device);
    let state = LstmState::new(numbers([2, 4], &device), numbers([2, 4], &device) * 0.5);
    assert_as_plain(&model, |model| {
        let inputs = (x.clone(), Some(state.clone()));
        let (y, state) = checkpoint(model, inputs, |lstm, (x, state)| lstm.forward(x, state));
        loss(y) + loss(state.cell)
    });
}

#[test]
fn nested_containers() {
    let device = device();
    let model = Mlp::new(4, &device);
    let x = numbers([3, 4], &device).require_grad();
    assert_as_plain(&model, |model| {
        let inputs = (
            vec![Some(x.clone()), None],
            Box::new([x.clone(), x.clone() * 2.0]),
        );
        let out = checkpoint(model, inputs, |mlp, (maybe, pair)| {
            let [a, b] = *pair;
            let c = maybe.into_iter().flatten().next().unwrap();
            vec![mlp.forward(a), mlp.forward(b), c]
        });
        out.into_iter().map(loss).reduce(|a, b| a + b).unwrap()
    });
}

#[test]
fn an_output_taken_off_the_autodiff_device() {
    let device = device();
    let model = Mlp::new(4, &device);
    let x = numbers([3, 4], &device).require_grad();
    assert_as_plain(&model, |model| {
        let (logged, y) = checkpoint(model, (x.clone(),), |mlp, (x,)| {
            let y = mlp.forward(x);
            (y.clone().inner(), y)
        });
        assert!(!logged.is_autodiff());
        loss(y)
    });
}

#[test]
fn a_layer_that_may_fail() {
    let device = device();
    let model = Mlp::new(4, &device);
    let x = numbers([3, 4], &device).require_grad();
    let run = |model: &Mlp, limit: usize| {
        checkpoint(model, (x.clone(), limit), |mlp, (x, limit)| {
            match x.dims()[0] {
                rows if rows > limit => Err(format!("{rows} rows")),
                _ => Ok(mlp.forward(x)),
            }
        })
    };
    assert_as_plain(&model, |model| loss(run(model, 3).unwrap()));
    assert_eq!(run(&model, 2).err().as_deref(), Some("3 rows"));
}

/// How tensors are packed differs between backends.
#[cfg(not(cube))]
#[test]
fn a_packed_output() {
    use burn::tensor::quantization::{QuantScheme, QuantStore};
    let device = device();
    let model = Mlp::new(32, &device);
    let x = numbers([32, 32], &device);
    assert_as_plain(&model, |model| {
        let (_packed, y) = checkpoint(model, (x.clone(),), |mlp, (x,)| {
            let y = mlp.forward(x);
            let scheme = QuantScheme::default().with_store(QuantStore::Native);
            (y.clone().quantize_dynamic(&scheme), y)
        });
        loss(y)
    });
}
