//! Groups, sequential modules and tails: without std's prelude, where its names mean something else, under every lint.

use crate::counting::{check, input, layer};
use crate::support::loss;
use burn::nn::LinearConfig;

macro_rules! modules {
    () => {
        #[derive(::remat::Remat)]
        pub struct Stack {
            #[checkpoint(every = 2)]
            pub groups: ::std::vec::Vec<crate::counting::Counting>,
            #[checkpoint(early_stop)]
            pub block: ::std::option::Option<Block>,
        }

        #[::remat::forward]
        impl Stack {
            pub fn forward(
                &self,
                x: ::burn::tensor::Tensor<2>,
                scale: f32,
            ) -> ::burn::tensor::Tensor<2> {
                let (mut x, mask, mut n) = (x.clone(), x, 0_u32);
                for (i, layer) in self.groups.iter().enumerate() {
                    n += 1;
                    x = layer.forward(x) * scale + mask.clone() * u32::from(i == 1);
                }
                let x = self.groups.iter().fold(x, |x, layer| layer.forward(x));
                match &self.block {
                    ::std::option::Option::Some(block) => block.forward(x),
                    ::std::option::Option::None => x * n,
                }
            }
        }

        #[derive(::burn::module::Module, ::std::fmt::Debug, ::remat::Remat)]
        pub struct Block {
            #[remat(tail)]
            pub down: ::burn::nn::Linear,
            pub dropout: ::burn::nn::Dropout,
        }

        #[::remat::forward]
        impl Block {
            /// Documented.
            #[must_use]
            pub fn forward(&self, x: ::burn::tensor::Tensor<2>) -> ::burn::tensor::Tensor<2> {
                let h = self.down.forward(x.clone());
                x + self.dropout.forward(h)
            }
        }

        #[derive(::remat::Remat)]
        #[remat(sequential(::burn::tensor::Tensor<2> -> ::burn::tensor::Tensor<2>))]
        pub struct Sequential {
            pub first: ::std::option::Option<crate::counting::Counting>,
            #[checkpoint(sqrt)]
            pub groups: ::std::vec::Vec<crate::counting::Counting>,
        }
    };
}

#[deny(warnings, clippy::all, clippy::pedantic)]
mod linted {
    modules!();
}

#[allow(dead_code)]
mod other_meanings {
    pub mod core {}
    pub mod remat {}
    pub struct Option;
    pub struct Some;
    pub struct None;
    pub struct Vec;
    pub trait Clone {}
    pub trait Iterator {}
    pub struct CheckpointSequence;
    pub struct Segments;
    pub fn checkpoint_sequence_with() {}
    pub fn tail() {}
    pub fn pass() {}
    pub fn returned() {}
    pub struct NotComputed;

    #[derive(::remat::Remat)]
    pub struct Stack {
        #[checkpoint(every = 2)]
        pub groups: ::std::vec::Vec<crate::counting::Counting>,
    }

    #[::remat::forward]
    impl Stack {
        pub fn forward(&self, x: ::burn::tensor::Tensor<2>) -> ::burn::tensor::Tensor<2> {
            let (mut x, mask) = (x.clone(), x);
            for layer in &self.groups {
                x = layer.forward(x) * mask.clone();
            }
            self.groups.iter().fold(x, |x, layer| layer.forward(x))
        }
    }

    #[derive(::remat::Remat)]
    #[remat(sequential(::burn::tensor::Tensor<2> -> ::burn::tensor::Tensor<2>))]
    pub struct Sequential {
        pub first: ::std::option::Option<crate::counting::Counting>,
        #[checkpoint(sqrt)]
        pub groups: ::std::vec::Vec<crate::counting::Counting>,
    }
}

#[no_implicit_prelude]
mod without_prelude {
    #[derive(::remat::Remat)]
    pub struct Stack {
        #[checkpoint(recursive)]
        pub groups: ::std::vec::Vec<crate::counting::Counting>,
    }

    #[::remat::forward]
    impl Stack {
        pub fn forward(&self, x: ::burn::tensor::Tensor<2>) -> ::burn::tensor::Tensor<2> {
            let mut x = x;
            for layer in &self.groups {
                x = layer.forward(x);
            }
            x
        }
    }

    #[derive(::remat::Remat)]
    #[remat(sequential(::burn::tensor::Tensor<2> -> ::burn::tensor::Tensor<2>))]
    pub struct Sequential {
        pub first: ::std::option::Option<crate::counting::Counting>,
        #[checkpoint(sqrt)]
        pub groups: ::std::vec::Vec<crate::counting::Counting>,
    }
}

#[test]
fn under_every_lint() {
    let device = crate::support::device();
    let groups = vec![layer(), layer(), layer()];
    let down: burn::nn::Linear = LinearConfig::new(4, 4).init(&device);
    let modules = (groups.clone(), down.clone());
    let block = Some(linted::Block {
        down,
        dropout: burn::nn::DropoutConfig::new(0.0).init(),
    });
    let (stack, x) = (linted::Stack { groups, block }, input());
    let twice = modules.0.iter();
    // The two loops share weights: what one segment gives is summed in another order.
    let run = |modules: &_| crate::support::run(modules, |_| loss(stack.forward(x.clone(), 0.5)));
    let (loss, grads) = run(&modules);
    let (plain_loss, plain) = remat::without_strategies(|| run(&modules));
    crate::support::assert_same(&loss, &plain_loss);
    for (gradient, plain) in grads.iter().flatten().zip(plain.iter().flatten()) {
        gradient.assert_approx_eq::<f32>(plain, burn::tensor::Tolerance::rel_abs(1e-5, 1e-6));
    }
    assert_eq!(
        twice.map(crate::counting::Counting::take_runs).max(),
        Some(6)
    );
}

#[test]
fn names_that_mean_something_else() {
    let groups = vec![layer(), layer()];
    let modules = groups.clone();
    let (stack, x) = (other_meanings::Stack { groups }, input());
    check(
        &modules,
        |_| loss(stack.forward(x.clone())),
        &stack.groups,
        [],
    );
}

#[test]
fn without_the_prelude() {
    let groups = vec![layer()];
    let modules = groups.clone();
    let (stack, x) = (without_prelude::Stack { groups }, input());
    check(
        &modules,
        |_| loss(stack.forward(x.clone())),
        &stack.groups,
        [],
    );
}

#[test]
fn sequential() {
    let (first, groups) = (Some(layer()), vec![layer(), layer()]);
    let modules = (first.clone(), groups.clone());
    let x = input();
    let linted = linted::Sequential {
        first: first.clone(),
        groups: groups.clone(),
    };
    check(
        &modules,
        |_| loss(linted.forward(x.clone())),
        &groups,
        &first,
    );
    let other = other_meanings::Sequential {
        first: first.clone(),
        groups: groups.clone(),
    };
    check(
        &modules,
        |_| loss(other.forward(x.clone())),
        &groups,
        &first,
    );
    let without = without_prelude::Sequential {
        first: first.clone(),
        groups: groups.clone(),
    };
    check(
        &modules,
        |_| loss(without.forward(x.clone())),
        &groups,
        &first,
    );
}
