//! `#[remat(sequential(..))]`: the `forward` that the derive writes.

use crate::counting::{Counting, check, input, layer};
use crate::support::loss;
use burn::module::Module;
use burn::nn::{Linear, LinearConfig, Relu};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
#[remat(sequential(Tensor<2> -> Tensor<2>))]
struct Mlp {
    first: Counting,
    relu: Relu,
    #[checkpoint]
    second: Counting,
    #[checkpoint(every = 2)]
    blocks: Vec<Counting>,
    pair: [Counting; 2],
    #[checkpoint]
    some: Option<Counting>,
    none: Option<Counting>,
    #[remat(skip)]
    unused: Linear,
    #[remat(skip)]
    size: usize,
}

fn mlp() -> Mlp {
    Mlp {
        first: layer(),
        relu: Relu::new(),
        second: layer(),
        blocks: vec![layer(), layer(), layer()],
        pair: [layer(), layer()],
        some: Some(layer()),
        none: None,
        unused: LinearConfig::new(1, 1).init(&crate::support::device()),
        size: 3,
    }
}

#[test]
fn fields_in_their_order_with_their_strategies() {
    let (mlp, x) = (mlp(), input());
    assert_eq!(mlp.size, 3);
    let twice = [&mlp.second]
        .into_iter()
        .chain(&mlp.blocks)
        .chain(&mlp.some);
    let once = [&mlp.first].into_iter().chain(&mlp.pair);
    check(&mlp, |mlp| loss(mlp.forward(x.clone())), twice, once);

    let by_hand = mlp.blocks.iter().chain(&mlp.pair).chain(&mlp.some);
    let start = mlp
        .second
        .forward(mlp.relu.forward(mlp.first.forward(x.clone())));
    let by_hand = by_hand.fold(start, |x, layer| layer.forward(x));
    assert_eq!(mlp.forward(x).into_data(), by_hand.into_data());
}

#[derive(Module, Debug, Remat)]
#[remat(sequential(Tensor<D> -> Tensor<D>))]
struct Pair<const N: usize, const D: usize> {
    #[checkpoint]
    first: Counting,
    second: [Counting; N],
}

#[test]
fn generics() {
    let pair = Pair::<1, 2> {
        first: layer(),
        second: [layer()],
    };
    let x = input();
    check(
        &pair,
        |pair| loss(pair.forward(x.clone())),
        [&pair.first],
        &pair.second,
    );
}

/// A sequential module is a layer like any other.
#[derive(Module, Debug, Remat)]
#[remat(sequential(Tensor<2> -> Tensor<2>))]
struct Outer {
    #[checkpoint]
    inner: Vec<Mlp>,
}

#[test]
fn c31_a_container_is_one_layer() {
    let (outer, x) = (
        Outer {
            inner: vec![mlp(), mlp()],
        },
        input(),
    );
    let _ = outer.forward(x).sum().backward();
    for mlp in &outer.inner {
        assert_eq!(mlp.first.take_runs(), 2);
        assert_eq!(mlp.second.take_runs(), 3, "in a segment of a segment");
    }
}
