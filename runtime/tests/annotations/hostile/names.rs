//! User code with the names that the macros would use.

use crate::counting::{Counting, check, input as numbers, layer as counting};
use crate::support::loss;
use burn::module::Module;
use burn::tensor::Tensor;
use remat::{Remat, TensorTree, TensorVisitor as _, checkpoint, checkpoint_with};

#[derive(Module, Debug)]
struct Sum {
    inner: Counting,
}

impl Sum {
    fn forward(&self, a: Tensor<2>, b: Tensor<2>, c: Tensor<2>) -> Tensor<2> {
        self.inner.forward(a * 2.0 - b) * c
    }

    fn forward_nested(&self, (a, b): (Tensor<2>, Tensor<2>), c: Option<Tensor<2>>) -> Tensor<2> {
        self.forward(a, b, c.expect("a tensor"))
    }

    fn forward_with(
        &self,
        a: Tensor<2>,
        b: Tensor<2>,
        f: impl Fn(Tensor<2>) -> Tensor<2>,
    ) -> Tensor<2> {
        f(self.inner.forward(a - b))
    }
}

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    input: Sum,
    #[checkpoint]
    input_1: Sum,
    #[checkpoint]
    layer: Vec<Sum>,
}

#[remat::forward]
impl Block {
    fn forward(&self, input: Tensor<2>) -> Tensor<2> {
        let layer = input.clone() + 1.0;
        let input_1 = input.clone() * 3.0;
        // Inputs with generated names beside variables with the same.
        let a = self
            .input
            .forward(input.clone(), input_1.clone(), layer.clone());
        let b = self.input_1.forward(input_1.clone(), input.clone(), input);
        let input_2 = self.layer[0].forward(layer.clone(), a * b, layer);
        self.layer[0].forward_nested((input_2.clone(), input_1 + 1.0), Some(input_2))
    }

    /// A closure among the arguments binds the names of the inputs.
    fn forward_closure(&self, input: Tensor<2>) -> Tensor<2> {
        let layer = input.clone();
        self.layer[0].forward_with(input.clone(), input * 2.0, |input| {
            let layer = input.clone();
            input * layer
        }) + layer
    }

    /// Functions that are named as variables would be, and as the runtime's.
    fn forward_functions(&self, x: Tensor<2>) -> Tensor<2> {
        fn input(x: Tensor<2>) -> Tensor<2> {
            x * 2.0
        }
        fn layer(x: Tensor<2>) -> Tensor<2> {
            x - 1.0
        }
        self.input
            .forward(input(x.clone()), layer(x.clone()), input(layer(x)))
    }
}

#[test]
fn variables_fields_and_functions() {
    let sum = || Sum { inner: counting() };
    let model = Block {
        input: sum(),
        input_1: sum(),
        layer: vec![sum()],
    };
    let x = numbers();
    let layers = [
        model.input.inner.clone(),
        model.input_1.inner.clone(),
        model.layer[0].inner.clone(),
    ];
    check(&model, |model| loss(model.forward(x.clone())), &layers, []);
    check(
        &model,
        |model| loss(model.forward_closure(x.clone())),
        &layers[2..],
        [],
    );
    check(
        &model,
        |model| loss(model.forward_functions(x.clone())),
        &layers[..1],
        [],
    );
}

#[derive(TensorTree)]
struct Tree<V, M, const N: usize> {
    visitor: V,
    mapper: [M; N],
    field_0: usize,
}

#[derive(TensorTree)]
enum Trees<V, M> {
    Visitor(V, usize),
    Mapper { visitor: V, mapper: M },
}

/// The runtime's functions are in scope, and a struct has methods and constants of similar names.
#[test]
fn trees_with_the_names_of_generated_parameters() {
    struct Count(usize);
    impl remat::TensorVisitor for Count {
        fn visit_float<const D: usize>(&mut self, _: &Tensor<D>) {
            self.0 += 1;
        }
    }

    let (up, x) = (counting(), numbers());
    let forward = |up: &Counting| {
        let tree = Tree {
            visitor: x.clone(),
            mapper: [x.clone(), x.clone()],
            field_0: 7,
        };
        let mut count = Count(0);
        tree.visit_tensors(&mut count);
        count.visit_float(&x);
        assert_eq!(count.0, 4);
        let y = checkpoint(
            up,
            (tree, Trees::<_, f64>::Visitor(x.clone(), 1)),
            |up, (tree, trees)| {
                let [first, second] = tree.mapper;
                match trees {
                    Trees::Visitor(visitor, n) => {
                        up.forward(tree.visitor * first + second * visitor)
                            * (tree.field_0 + n) as f64
                    }
                    Trees::Mapper { visitor, mapper } => visitor * mapper,
                }
            },
        );
        let trees = Trees::Mapper {
            visitor: y,
            mapper: 2.0,
        };
        let options = remat::Checkpoint::named("up");
        loss(checkpoint_with(
            options,
            up,
            (trees,),
            |up, (trees,)| match trees {
                Trees::Mapper { visitor, mapper } => up.forward(visitor) * mapper,
                Trees::Visitor(visitor, _) => visitor,
            },
        ))
    };
    check(&up, forward, [&up], []);
}
