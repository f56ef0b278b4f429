//! Where the impl stands, and what it is of.

use crate::counting::{Counting, check, input, layer};
use crate::support::loss;
use burn::module::Module;
use burn::tensor::Tensor;
use remat::Remat;

trait Predict<T> {
    const SCALE: f64;
    type Output;

    fn predict(&self, x: T) -> Self::Output;
}

/// Above the struct, in two impls, one of them of a trait.
mod above_the_struct {
    use super::*;

    #[remat::forward]
    impl Block {
        pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.first.forward(x)
        }
    }

    #[remat::forward]
    impl Predict<Tensor<2>> for Block {
        const SCALE: f64 = 2.0;
        type Output = (Tensor<2>, usize);

        fn predict(&self, x: Tensor<2>) -> Self::Output {
            let x = self.second.forward(self.forward(x)) * Self::SCALE;
            (self.third.forward(x), 3)
        }
    }

    #[derive(Module, Debug, Remat)]
    pub struct Block {
        #[checkpoint]
        pub first: Counting,
        #[checkpoint]
        pub second: Counting,
        pub third: Counting,
    }
}

#[test]
fn impls_above_the_struct_and_of_a_trait() {
    let (first, second, third) = (layer(), layer(), layer());
    let (model, x) = (
        above_the_struct::Block {
            first,
            second,
            third,
        },
        input(),
    );
    check(
        &model,
        |model| loss(model.predict(x.clone()).0),
        [&model.first, &model.second],
        [&model.third],
    );
}

mod model {
    use super::*;

    #[derive(Module, Debug, Remat)]
    pub struct Block {
        #[checkpoint]
        pub(super) up: Counting,
    }

    pub mod inner {
        use super::*;

        #[remat::forward]
        impl Block {
            pub fn forward_inner(&self, x: Tensor<2>) -> Tensor<2> {
                self.up.forward(x)
            }
        }
    }
}

mod with_an_import {
    use super::{Tensor, model};

    #[remat::forward]
    impl model::Block {
        pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.up.forward(x)
        }
    }
}

mod with_a_path {
    use super::Tensor;

    #[remat::forward]
    impl super::Predict<Tensor<2>> for super::model::Block {
        const SCALE: f64 = 1.0;
        type Output = Tensor<2>;

        fn predict(&self, x: Tensor<2>) -> Tensor<2> {
            self.up.forward(x)
        }
    }
}

#[test]
fn impls_in_other_modules() {
    let (model, x) = (model::Block { up: layer() }, input());
    check(
        &model,
        |model| loss(model.predict(model.forward(model.forward_inner(x.clone())))),
        [&model.up],
        [],
    );
}

#[test]
fn lifetimes_and_where_clauses_of_methods() {
    #[derive(Module, Debug, Remat)]
    struct Block {
        #[checkpoint]
        up: Counting,
    }

    #[remat::forward]
    impl Block {
        fn forward<'a, 'n: 'a, F>(
            &'a self,
            names: &'n [&'a str],
            x: Tensor<2>,
            after: F,
        ) -> (Tensor<2>, &'a str)
        where
            F: Fn(Tensor<2>) -> Tensor<2> + 'a,
        {
            (after(self.up.forward(x)), names[0])
        }

        const fn width() -> usize {
            4
        }
    }

    let (model, x) = (Block { up: layer() }, input());
    let name = String::from("block");
    let names = [name.as_str()];
    let forward = |model: &Block| {
        let (y, found) = model.forward(&names, x.clone(), |y| y * Block::width() as f64);
        assert_eq!(found, "block");
        loss(y)
    };
    check(&model, forward, [&model.up], []);
}

#[test]
fn conditional_fields_and_calls() {
    #[derive(Module, Debug, Remat)]
    struct Block {
        #[cfg(false)]
        #[checkpoint]
        absent: Missing,
        #[cfg(true)]
        #[checkpoint]
        present: Counting,
        #[cfg_attr(true, checkpoint)]
        annotated: Counting,
        #[cfg_attr(false, checkpoint)]
        plain: Counting,
    }

    #[remat::forward]
    impl Block {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            #[cfg(false)]
            let x = self.absent.forward(x);
            #[cfg(true)]
            let x = self.present.forward(x);
            #[allow(clippy::let_and_return)]
            let x = self.annotated.forward(x);
            self.plain.forward(x)
        }

        #[cfg(false)]
        fn forward(&self, x: Missing) -> Missing {
            self.absent.forward(x)
        }
    }

    let x = input();
    let model = Block {
        present: layer(),
        annotated: layer(),
        plain: layer(),
    };
    check(
        &model,
        |model| loss(model.forward(x.clone())),
        [&model.present, &model.annotated],
        [&model.plain],
    );
}

#[test]
fn raw_identifiers() {
    #[allow(non_camel_case_types)]
    #[derive(Module, Debug, Remat)]
    struct r#move {
        #[checkpoint]
        r#type: Counting,
        #[checkpoint]
        r#in: Vec<Counting>,
    }

    #[remat::forward]
    impl r#move {
        fn r#try(&self, r#match: Tensor<2>) -> Tensor<2> {
            let r#match = self.r#type.forward(r#match);
            self.r#in
                .iter()
                .fold(r#match, |r#match, r#loop| r#loop.forward(r#match))
        }
    }

    let (model, x) = (
        r#move {
            r#type: layer(),
            r#in: vec![layer()],
        },
        input(),
    );
    let layers = [&model.r#type, &model.r#in[0]];
    check(&model, |model| loss(model.r#try(x.clone())), layers, []);
}

/// Names that are one in upper case, or that would hide the lint about unused constants.
#[test]
#[allow(
    non_snake_case,
    clippy::used_underscore_binding,
    reason = "burn's derive makes variables of the fields"
)]
fn fields_with_similar_names() {
    #[derive(Module, Debug, Remat)]
    struct Block {
        #[checkpoint]
        up: Counting,
        #[checkpoint]
        Up: Counting,
        #[checkpoint]
        _up: Counting,
    }

    #[remat::forward]
    impl Block {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self._up.forward(self.Up.forward(self.up.forward(x)))
        }
    }

    let (model, x) = (
        Block {
            up: layer(),
            Up: layer(),
            _up: layer(),
        },
        input(),
    );
    check(
        &model,
        |model| loss(model.forward(x.clone())),
        [&model.up, &model.Up, &model._up],
        [],
    );
}

#[test]
fn deterministic_layer() {
    #[derive(Module, Debug, Remat)]
    struct Block {
        #[checkpoint(deterministic)]
        up: Counting,
    }

    #[remat::forward]
    impl Block {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.up.forward(x)
        }
    }

    let (model, x) = (Block { up: layer() }, input());
    check(
        &model,
        |model| loss(model.forward(x.clone())),
        [&model.up],
        [],
    );
}

#[test]
fn annotation_in_a_message() {
    #[derive(Module, Debug)]
    struct Leaking {
        linear: Counting,
        #[module(skip)]
        seen: std::sync::Arc<std::sync::Mutex<Option<Tensor<2>>>>,
    }

    impl Leaking {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.linear.forward(x) + self.seen.lock().unwrap().clone().unwrap()
        }
    }

    #[derive(Module, Debug, Remat)]
    struct Block {
        #[checkpoint]
        leaking: Leaking,
    }

    #[remat::forward]
    impl Block {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.leaking.forward(x)
        }
    }

    let x = input().require_grad();
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Some(x.clone())));
    let block = Block {
        leaking: Leaking {
            linear: layer(),
            seen,
        },
    };
    let run = std::panic::AssertUnwindSafe(|| block.forward(x));
    let panic = std::panic::catch_unwind(run).expect_err("a panic");
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(
        message.contains("checkpoint of `Block.leaking`"),
        "{message}"
    );
}

pub(crate) mod reexport {
    pub use remat;
}

#[test]
fn runtime_under_another_path() {
    use crate::items::reexport::remat::{Remat as Annotated, TensorTree as Tree};

    #[derive(Tree)]
    #[remat(crate = crate::items::reexport::remat)]
    struct Input {
        x: Tensor<2>,
    }

    #[derive(Module, Debug)]
    struct Taking {
        inner: Counting,
    }

    impl Taking {
        fn forward(&self, input: Input) -> Input {
            Input {
                x: self.inner.forward(input.x),
            }
        }
    }

    #[derive(Module, Debug, Annotated)]
    #[remat(crate = crate::items::reexport::remat)]
    struct Block {
        #[checkpoint]
        taking: Taking,
    }

    #[crate::items::reexport::remat::forward]
    impl Block {
        fn forward(&self, input: Input) -> Tensor<2> {
            self.taking.forward(input).x
        }
    }

    let (model, x) = (
        Block {
            taking: Taking { inner: layer() },
        },
        input(),
    );
    check(
        &model,
        |model| loss(model.forward(Input { x: x.clone() })),
        [&model.taking.inner],
        [],
    );
}
