//! Where nothing of std's prelude is in scope, and where its names mean something else.
//!
//! burn's own derive writes prelude names, so the modules are outside, and the structs here are no modules.

use crate::counting::{check, input, layer};
use crate::support::loss;

#[no_implicit_prelude]
mod without_prelude {
    use ::remat::{Remat, TensorTree};

    #[derive(TensorTree)]
    pub struct Pair<T> {
        pub first: T,
        pub second: ::std::option::Option<T>,
        #[remat(skip)]
        pub name: &'static str,
    }

    #[derive(TensorTree)]
    pub enum Either<A, B> {
        Left(A),
        Right { right: B },
        Neither,
    }

    #[derive(Remat)]
    pub struct Block {
        #[checkpoint]
        pub up: crate::counting::Counting,
        #[checkpoint(deterministic)]
        pub layers: ::std::vec::Vec<crate::counting::Counting>,
    }

    #[::remat::forward]
    impl Block {
        pub fn forward(&self, x: ::burn::tensor::Tensor<2>) -> ::burn::tensor::Tensor<2> {
            let mut x = self.up.forward(x);
            for layer in &self.layers {
                x = layer.forward(x);
            }
            x
        }
    }
}

#[allow(
    dead_code,
    non_camel_case_types,
    non_snake_case,
    clippy::enum_variant_names
)]
mod other_meanings {
    use ::remat::{Remat, TensorTree};

    pub mod core {}
    pub mod std {}
    pub mod remat {}
    pub mod checkpoint {}
    pub struct Option;
    pub struct Some;
    pub struct None;
    pub struct Result;
    pub struct Ok;
    pub struct Err;
    pub struct Vec;
    pub struct Box;
    pub struct String;
    pub trait Clone {}
    pub trait Default {}
    pub trait Sized {}
    pub trait Fn {}
    pub trait From {}
    pub trait Iterator {}
    pub struct Checkpoint;
    pub struct TensorVisitor;
    pub struct TensorMapper;
    pub fn checkpoint_with() {}

    #[derive(TensorTree)]
    pub struct Pair<T> {
        pub first: T,
        pub second: ::std::vec::Vec<T>,
        #[remat(skip)]
        pub name: &'static str,
    }

    #[derive(TensorTree)]
    pub enum Either<A, B> {
        Left(A),
        Right { right: B },
        Neither,
    }

    #[derive(Remat)]
    pub struct Block {
        #[checkpoint]
        pub up: crate::counting::Counting,
        #[checkpoint(deterministic)]
        pub layers: ::std::vec::Vec<crate::counting::Counting>,
    }

    #[::remat::forward]
    impl Block {
        pub fn forward(&self, x: ::burn::tensor::Tensor<2>) -> ::burn::tensor::Tensor<2> {
            let x = self.up.forward(x);
            self.layers.iter().fold(x, |x, layer| layer.forward(x))
        }
    }
}

#[test]
fn without_the_prelude() {
    let (up, layers) = (layer(), vec![layer()]);
    let modules = (up.clone(), layers.clone());
    let (model, x) = (without_prelude::Block { up, layers }, input());
    let twice = model.layers.iter().chain([&model.up]);
    check(&modules, |_| loss(model.forward(x.clone())), twice, []);
}

#[test]
fn prelude_names_that_mean_something_else() {
    let (up, layers) = (layer(), vec![layer()]);
    let modules = (up.clone(), layers.clone());
    let (model, x) = (other_meanings::Block { up, layers }, input());
    let twice = model.layers.iter().chain([&model.up]);
    check(&modules, |_| loss(model.forward(x.clone())), twice, []);
}

#[test]
fn trees_in_both() {
    let up = layer();
    let x = input();
    check(
        &up,
        |up| {
            let pair = without_prelude::Pair {
                first: x.clone(),
                second: Some(x.clone()),
                name: "pair",
            };
            let either = without_prelude::Either::<_, f64>::Left(x.clone());
            let y = remat::checkpoint(up, (pair, either), |up, (pair, either)| {
                match (pair.second, either) {
                    (Some(second), without_prelude::Either::Left(left)) if pair.name == "pair" => {
                        up.forward(pair.first * second + left)
                    }
                    (_, without_prelude::Either::Right { right }) => pair.first * right,
                    (_, without_prelude::Either::Neither | without_prelude::Either::Left(_)) => {
                        pair.first
                    }
                }
            });
            let pair = other_meanings::Pair {
                first: y,
                second: vec![x.clone()],
                name: "pair",
            };
            let either = other_meanings::Either::<f64, _>::Right { right: 2.0 };
            loss(remat::checkpoint(
                up,
                (pair, either),
                |up, (pair, either)| match either {
                    other_meanings::Either::Right { right } if pair.name == "pair" => {
                        up.forward(pair.first + pair.second[0].clone()) * right
                    }
                    other_meanings::Either::Left(left) => pair.first * left,
                    _ => pair.first,
                },
            ))
        },
        [&up],
        [],
    );
}
