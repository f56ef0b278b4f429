//! Visiting and mapping trees.

use crate::support::device;
use burn::nn::attention::MhaOutput;
use burn::nn::{LstmState, RnnState};
use burn::tensor::{Bool, DType, Int, Shape, Tensor};
use remat::{TensorMapper, TensorTree, TensorVisitor};

/// Kinds and ranks in the order of the visit.
#[derive(Default)]
struct Seen(Vec<(char, usize)>);

impl TensorVisitor for Seen {
    fn visit_float<const D: usize>(&mut self, _: &Tensor<D>) {
        self.0.push(('f', D));
    }
    fn visit_int<const D: usize>(&mut self, _: &Tensor<D, Int>) {
        self.0.push(('i', D));
    }
    fn visit_bool<const D: usize>(&mut self, _: &Tensor<D, Bool>) {
        self.0.push(('b', D));
    }
}

impl TensorMapper for Seen {
    fn map_float<const D: usize>(&mut self, tensor: Tensor<D>) -> Tensor<D> {
        self.0.push(('f', D));
        tensor
    }
    fn map_int<const D: usize>(&mut self, tensor: Tensor<D, Int>) -> Tensor<D, Int> {
        self.0.push(('i', D));
        tensor
    }
    fn map_bool<const D: usize>(&mut self, tensor: Tensor<D, Bool>) -> Tensor<D, Bool> {
        self.0.push(('b', D));
        tensor
    }
}

fn seen<T: TensorTree>(tree: &T) -> Vec<(char, usize)> {
    let (mut visited, mut mapped) = (Seen::default(), Seen::default());
    tree.visit_tensors(&mut visited);
    let again = tree.map_tensors(&mut mapped);
    assert_eq!(visited.0, mapped.0, "both go the same way");
    let mut third = Seen::default();
    again.visit_tensors(&mut third);
    assert_eq!(visited.0, third.0, "mapping keeps the tree");
    visited.0
}

fn float<const D: usize>() -> Tensor<D> {
    Tensor::ones([1; D], &device())
}

fn int<const D: usize>() -> Tensor<D, Int> {
    Tensor::ones([1; D], &device())
}

fn boolean<const D: usize>() -> Tensor<D, Bool> {
    Tensor::<D>::ones([1; D], &device()).greater_elem(0.0)
}

#[test]
fn every_container_in_order() {
    let tree = (
        float::<1>(),
        Some(int::<2>()),
        None::<Tensor<4>>,
        vec![boolean::<3>(), boolean::<3>()],
        [float::<2>(), float::<2>()],
        Box::new((float::<3>(), ())),
        Ok::<_, String>(int::<1>()),
        Err::<Tensor<1>, _>("no tensor"),
    );
    assert_eq!(
        seen(&tree),
        [
            ('f', 1),
            ('i', 2),
            ('b', 3),
            ('b', 3),
            ('f', 2),
            ('f', 2),
            ('f', 3),
            ('i', 1)
        ]
    );
}

#[test]
fn values_hold_no_tensors() {
    let tree = (
        (1_u8, -1_i64, 0.5_f32, 2_usize, true, 'x'),
        (
            String::from("a"),
            "b",
            Shape::new([1, 2]),
            DType::F32,
            device(),
        ),
        std::marker::PhantomData::<fn()>,
    );
    assert_eq!(seen(&tree), []);
}

#[test]
fn outputs_of_burn_layers() {
    let attention = MhaOutput {
        weights: float::<4>(),
        context: float::<3>(),
    };
    assert_eq!(seen(&attention), [('f', 4), ('f', 3)]);
    assert_eq!(
        seen(&LstmState::new(float::<2>(), float::<2>())),
        [('f', 2), ('f', 2)]
    );
    assert_eq!(seen(&RnnState::new(float::<2>())), [('f', 2)]);
}
