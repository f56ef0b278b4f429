//! The types that an annotated field may have.

use crate::counting::{Counting, Forward, check, input, layer};
use crate::support::loss;
use burn::module::Module;
use burn::nn::Gelu;
use burn::tensor::Tensor;
use remat::Remat;

#[test]
fn array() {
    #[derive(Module, Debug, Remat)]
    struct Block {
        #[checkpoint]
        layers: [Counting; 2],
    }

    #[remat::forward]
    impl Block {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            let [first, second] = &self.layers;
            let x = second.forward(first.forward(x));
            self.layers.iter().fold(x, |x, layer| layer.forward(x))
        }
    }

    let (model, x) = (
        Block {
            layers: [layer(), layer()],
        },
        input(),
    );
    check(
        &model,
        |model| loss(model.forward(x.clone())),
        &model.layers,
        [],
    );
}

#[test]
fn tuple() {
    #[derive(Module, Debug, Remat)]
    struct Block {
        #[checkpoint]
        pair: (Counting, Counting),
    }

    #[remat::forward]
    impl Block {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            let (first, second) = &self.pair;
            let x = second.forward(first.forward(x));
            self.pair.1.forward(self.pair.0.forward(x))
        }
    }

    let (model, x) = (
        Block {
            pair: (layer(), layer()),
        },
        input(),
    );
    let (first, second) = &model.pair;
    check(
        &model,
        |model| loss(model.forward(x.clone())),
        [first, second],
        [],
    );
}

#[test]
fn vec_of_options() {
    #[derive(Module, Debug, Remat)]
    struct Block {
        #[checkpoint]
        layers: Vec<Option<Counting>>,
    }

    #[remat::forward]
    impl Block {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            let x = self
                .layers
                .iter()
                .flatten()
                .fold(x, |x, layer| layer.forward(x));
            match &self.layers[..] {
                [Some(layer), ..] => layer.forward(x),
                _ => x,
            }
        }
    }

    let (model, x) = (
        Block {
            layers: vec![Some(layer()), None, Some(layer())],
        },
        input(),
    );
    let layers = model.layers.iter().flatten();
    check(&model, |model| loss(model.forward(x.clone())), layers, []);
}

#[test]
fn enum_of_modules() {
    #[derive(Module, Debug)]
    enum Choice {
        Layer(Counting),
        Gelu(Gelu),
    }

    impl Choice {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            match self {
                Self::Layer(layer) => layer.forward(x),
                Self::Gelu(gelu) => gelu.forward(x),
            }
        }
    }

    #[derive(Module, Debug, Remat)]
    struct Block {
        #[checkpoint]
        choices: Vec<Choice>,
    }

    #[remat::forward]
    impl Block {
        fn forward(&self, mut x: Tensor<2>) -> Tensor<2> {
            for choice in &self.choices {
                x = match choice {
                    Choice::Layer(layer) => layer.forward(x),
                    Choice::Gelu(_) => choice.forward(x),
                };
            }
            self.choices[0].forward(x)
        }
    }

    let counted = layer();
    let choices = vec![Choice::Layer(counted.clone()), Choice::Gelu(Gelu::new())];
    let (model, x) = (Block { choices }, input());
    check(
        &model,
        |model| loss(model.forward(x.clone())),
        [&counted],
        [],
    );
}

/// The inner layer runs once more in the backward pass of each checkpoint around it.
#[test]
fn struct_with_annotations_of_its_own() {
    #[derive(Module, Debug, Remat)]
    struct Inner {
        #[checkpoint]
        deep: Counting,
        shallow: Counting,
    }

    #[derive(Module, Debug, Remat)]
    struct Outer {
        #[checkpoint]
        inner: Inner,
    }

    #[remat::forward]
    impl Inner {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.shallow.forward(self.deep.forward(x))
        }
    }

    #[remat::forward]
    impl Outer {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.inner.forward(x)
        }
    }

    let inner = Inner {
        deep: layer(),
        shallow: layer(),
    };
    let (model, x) = (Outer { inner }, input());
    let shallow = model.inner.shallow.clone();
    check(
        &model,
        |model| loss(model.forward(x.clone())),
        [&shallow],
        [],
    );
    model.inner.deep.take_runs();
    let _ = loss(model.forward(x)).backward();
    assert_eq!(
        model.inner.deep.take_runs(),
        3,
        "the first, and one for each checkpoint"
    );
}

#[test]
fn generic_field() {
    #[derive(Module, Debug, Remat)]
    struct Wrap<M> {
        #[checkpoint]
        inner: M,
    }

    #[remat::forward]
    impl<M: Forward> Wrap<M> {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.inner.forward(x)
        }
    }

    let (model, x) = (Wrap { inner: layer() }, input());
    check(
        &model,
        |model| loss(model.forward(x.clone())),
        [&model.inner],
        [],
    );
}

#[test]
fn several_generic_fields() {
    #[derive(Module, Debug, Remat)]
    struct Both<A, B>
    where
        A: Module,
    {
        #[checkpoint]
        first: Option<A>,
        #[checkpoint(deterministic)]
        rest: Vec<B>,
    }

    #[remat::forward]
    impl<A, B> Both<A, B>
    where
        A: Forward,
        B: Forward,
    {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            let x = if let Some(first) = &self.first {
                first.forward(x)
            } else {
                x
            };
            self.rest.iter().fold(x, |x, layer| layer.forward(x))
        }
    }

    let (model, x) = (
        Both {
            first: Some(layer()),
            rest: vec![layer(), layer()],
        },
        input(),
    );
    let layers = model.first.iter().chain(&model.rest);
    check(&model, |model| loss(model.forward(x.clone())), layers, []);
}

#[test]
fn const_generics() {
    #[derive(Module, Debug, Remat)]
    struct Stack<const N: usize> {
        #[checkpoint]
        layers: [Counting; N],
    }

    #[remat::forward]
    impl<const N: usize> Stack<N> {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            let x = self.layers.iter().fold(x, |x, layer| layer.forward(x));
            self.layers[N - 1].forward(x)
        }
    }

    let (model, x) = (
        Stack {
            layers: [layer(), layer()],
        },
        input(),
    );
    check(
        &model,
        |model| loss(model.forward(x.clone())),
        &model.layers,
        [],
    );
}

/// burn's derive takes no tuple structs: the layers are compared as a tuple that shares them.
#[test]
fn tuple_struct() {
    #[derive(Remat)]
    struct Block(
        #[checkpoint] Counting,
        Counting,
        #[checkpoint] Vec<Counting>,
    );

    #[remat::forward]
    impl Block {
        fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            let x = self.2[0].forward(self.1.forward(self.0.forward(x)));
            let Self(first, ..) = self;
            let Self { 2: rest, .. } = self;
            rest.iter()
                .fold(first.forward(x), |x, layer| layer.forward(x))
        }
    }

    let (model, x) = (Block(layer(), layer(), vec![layer(), layer()]), input());
    let twice = model.2.iter().chain([&model.0]);
    let modules = (model.0.clone(), model.1.clone(), model.2.clone());
    check(
        &modules,
        |_| loss(model.forward(x.clone())),
        twice,
        [&model.1],
    );
}
