//! What `forward` is called on.

use crate::counting::{Counting, check, input, layer};
use crate::support::loss;
use burn::module::Module;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug)]
struct Inner {
    first: Counting,
    rest: Vec<Counting>,
}

#[derive(Module, Debug, Remat)]
struct Block {
    norm: Counting,
    #[checkpoint]
    up: Counting,
    #[checkpoint]
    inner: Inner,
    #[checkpoint]
    layers: Vec<Counting>,
    #[checkpoint]
    maybe: Option<Counting>,
}

impl Block {
    fn new() -> Self {
        Self {
            norm: layer(),
            up: layer(),
            inner: Inner {
                first: layer(),
                rest: vec![layer(), layer()],
            },
            layers: vec![layer(), layer()],
            maybe: Some(layer()),
        }
    }
}

#[remat::forward]
#[allow(clippy::while_let_on_iterator, reason = "every form that people write")]
impl Block {
    fn forward_field(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self.norm.forward(x.clone());
        x + self.up.forward(h)
    }

    fn forward_parentheses(&self, x: Tensor<2>) -> Tensor<2> {
        let x = (self.up).forward(x);
        (&self.up).forward(self.norm.forward(x))
    }

    fn forward_element(&self, x: Tensor<2>) -> Tensor<2> {
        let last = self.layers.len() - 1;
        let x = self.layers[0].forward(self.norm.forward(x));
        self.layers[last].forward(x)
    }

    fn forward_part(&self, x: Tensor<2>) -> Tensor<2> {
        let x = self.inner.first.forward(self.norm.forward(x));
        self.inner.rest[1].forward(x)
    }

    fn forward_optional(&self, x: Tensor<2>) -> Tensor<2> {
        let x = self.maybe.as_ref().unwrap().forward(self.norm.forward(x));
        let x = self.layers.first().expect("a layer").forward(x);
        self.layers.get(1).unwrap().forward(x)
    }

    fn forward_try(&self, x: Tensor<2>) -> Option<Tensor<2>> {
        let x = self.maybe.as_ref()?.forward(self.norm.forward(x));
        Some(self.layers.last()?.forward(x))
    }

    fn forward_nested(&self, x: Tensor<2>) -> Tensor<2> {
        self.up.forward(
            self.norm
                .forward(self.layers[0].forward(self.up.forward(x))),
        )
    }

    fn forward_next(&self, x: Tensor<2>) -> Tensor<2> {
        let mut layers = self.layers.iter();
        let mut x = layers.next().unwrap().forward(self.norm.forward(x));
        while let Some(layer) = layers.next() {
            x = layer.forward(x);
        }
        x
    }

    fn forward_other(&self, other: &Self, x: Tensor<2>) -> Tensor<2> {
        let x = other.up.forward(x);
        self.norm.forward(self.up.forward(x))
    }

    fn forward_by_value(self, x: Tensor<2>) -> Tensor<2> {
        let mut x = self.up.forward(self.norm.forward(x));
        for layer in self.layers {
            x = layer.forward(x);
        }
        x
    }

    fn forward_turbofish(&self, x: Tensor<2>) -> Tensor<2> {
        self.up.forward::<2>(self.norm.forward::<2>(x))
    }
}

fn check_block<'a>(
    model: &'a Block,
    forward: impl Fn(&Block, Tensor<2>) -> Tensor<2>,
    twice: impl IntoIterator<Item = &'a Counting>,
) {
    let x = input();
    check(
        model,
        |model| loss(forward(model, x.clone())),
        twice,
        [&model.norm],
    );
}

#[test]
fn field() {
    let model = Block::new();
    check_block(&model, Block::forward_field, [&model.up]);
}

#[test]
fn parentheses_and_references() {
    let model = Block::new();
    check_block(&model, Block::forward_parentheses, [&model.up]);
}

#[test]
fn element() {
    let model = Block::new();
    check_block(&model, Block::forward_element, &model.layers);
}

#[test]
fn part_of_a_field() {
    let model = Block::new();
    let inner = &model.inner;
    check_block(&model, Block::forward_part, [&inner.first, &inner.rest[1]]);
}

#[test]
fn optional() {
    let model = Block::new();
    let layers = model.layers.iter().chain(&model.maybe);
    check_block(&model, Block::forward_optional, layers);
}

#[test]
fn question_mark() {
    let model = Block::new();
    let layers = model.layers[1..].iter().chain(&model.maybe);
    check_block(&model, |model, x| model.forward_try(x).unwrap(), layers);
}

#[test]
fn calls_in_the_arguments_of_calls() {
    let model = Block::new();
    check_block(&model, Block::forward_nested, [&model.up, &model.layers[0]]);
}

#[test]
fn iterator_step_by_step() {
    let model = Block::new();
    check_block(&model, Block::forward_next, &model.layers);
}

#[test]
fn another_value_of_the_struct() {
    let (model, other) = (Block::new(), Block::new());
    let both = [model.clone(), other.clone()].to_vec();
    let x = input();
    check(
        &both,
        |both| loss(both[0].forward_other(&both[1], x.clone())),
        [&model.up, &other.up],
        [&model.norm],
    );
}

#[test]
fn self_by_value() {
    let model = Block::new();
    let layers = model.layers.iter().chain([&model.up]);
    check_block(&model, |model, x| model.clone().forward_by_value(x), layers);
}

#[test]
fn turbofish() {
    let model = Block::new();
    check_block(&model, Block::forward_turbofish, [&model.up]);
}
