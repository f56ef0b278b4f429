//! Layers of the user's, one after the other: what keeps no output can be followed by another one in place.

use super::TURN;
use crate::support::{assert_all_same, device, loss, numbers};
use burn::module::Module;
use burn::nn::Relu;
use burn::tensor::{Tensor, TensorData};
use remat::Remat;
use remat::inplace::{InplaceActivation, Overwritten, copies};
use std::sync::PoisonError;

/// Keeps nothing at all.
#[derive(Module, Debug)]
struct Negate;

impl InplaceActivation for Negate {
    const KEEPS_OUTPUT: bool = false;

    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        x.neg()
    }

    fn overwrite<const D: usize>(&self, x: Tensor<D>) -> Overwritten<D> {
        Overwritten::new(x.neg(), Tensor::neg)
    }
}

type Negates = Vec<Negate>;

#[derive(Module, Debug, Remat)]
struct Net<A: Module> {
    #[inplace]
    one: Negate,
    #[inplace]
    list: Vec<Negate>,
    #[inplace]
    alias: Negates,
    #[inplace]
    maybe: Option<Negate>,
    #[inplace]
    pair: [Negate; 2],
    #[inplace]
    other: A,
    #[inplace]
    relu: Relu,
}

/// Of one type.
#[derive(Module, Debug, Remat)]
struct Plain {
    #[inplace]
    list: Vec<Negate>,
    #[inplace]
    relu: Relu,
}

mod elsewhere {
    use super::{Negate, Net, Plain};
    use burn::module::Module;
    use burn::tensor::Tensor;
    use remat::inplace::InplaceActivation;

    #[remat::forward]
    impl<B: Module + InplaceActivation> Net<B> {
        pub fn one(&self, x: Tensor<2>) -> Tensor<2> {
            self.relu.forward(self.one.forward(x))
        }

        pub fn list(&self, mut x: Tensor<2>) -> Tensor<2> {
            for negate in &self.list {
                x = negate.forward(x);
            }
            self.relu.forward(x)
        }

        pub fn alias(&self, x: Tensor<2>) -> Tensor<2> {
            self.relu.forward(self.alias[0].forward(x))
        }

        pub fn maybe(&self, x: Tensor<2>) -> Tensor<2> {
            match &self.maybe {
                Some(negate) => self.relu.forward(negate.forward(x)),
                None => x,
            }
        }

        pub fn pair(&self, x: Tensor<2>) -> Tensor<2> {
            let x = self.pair[1].forward(self.pair[0].forward(x));
            self.relu.forward(x)
        }

        pub fn other(&self, x: Tensor<2>) -> Tensor<2> {
            self.relu.forward(self.other.forward(x))
        }
    }

    #[remat::forward]
    impl Plain {
        pub fn forward(&self, mut x: Tensor<2>) -> Tensor<2> {
            for negate in &self.list {
                x = negate.forward(x);
            }
            self.relu.forward(x)
        }
    }

    /// An impl of one type of a generic struct.
    #[remat::forward]
    impl Net<Negate> {
        pub fn special(&self, x: Tensor<2>) -> Tensor<2> {
            self.relu.forward(self.other.forward(x))
        }
    }
}

fn check(forward: impl Fn(Tensor<2>) -> Tensor<2>) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let run = || -> [TensorData; 2] {
        let x = numbers([3, 4], &device()).require_grad();
        let loss = loss(forward(x.clone() * 2.0));
        let gradient = x.grad(&loss.backward()).expect("x is tracked");
        [loss.into_data(), gradient.into_data()]
    };
    let before = copies();
    let inplace = run();
    if !cfg!(cube) {
        assert_eq!(copies(), before);
    }
    assert_all_same(
        &inplace.map(Some),
        &remat::without_strategies(run).map(Some),
    );
}

#[test]
fn each_field() {
    let net = Net {
        one: Negate,
        list: vec![Negate, Negate],
        alias: vec![Negate],
        maybe: Some(Negate),
        pair: [Negate, Negate],
        other: Negate,
        relu: Relu::new(),
    };
    check(|x| net.one(x));
    check(|x| net.list(x));
    check(|x| net.alias(x));
    check(|x| net.maybe(x));
    check(|x| net.pair(x));
    check(|x| net.other(x));
    check(|x| net.special(x));
}

#[test]
fn a_struct_of_one_type() {
    let net = Plain {
        list: vec![Negate, Negate],
        relu: Relu::new(),
    };
    check(|x| net.forward(x));
}
