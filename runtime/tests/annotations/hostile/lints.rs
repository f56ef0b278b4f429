//! Lints as strict as they get: whatever fires in here, a macro of remat has written.
#![deny(
    warnings,
    unused,
    missing_docs,
    unused_qualifications,
    single_use_lifetimes,
    unused_lifetimes,
    unreachable_pub,
    elided_lifetimes_in_paths,
    trivial_casts,
    unused_import_braces,
    unused_results,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
#![forbid(unsafe_code, non_snake_case, unused_macros, unused_imports)]

use crate::counting::{Counting, check, input, layer};
use crate::support::loss;
use burn::tensor::Tensor;
#[allow(
    clippy::absolute_paths,
    single_use_lifetimes,
    missing_docs,
    clippy::nursery,
    clippy::pedantic,
    reason = "burn's derive is not under test"
)]
mod modules {
    use crate::counting::Counting;
    use burn::module::Module;
    use burn::tensor::Tensor;

    #[derive(Module, Debug)]
    pub(super) struct Sum {
        pub(super) inner: Counting,
    }

    impl Sum {
        pub(super) fn forward(&self, pair: super::Pair<'_, Tensor<2>>) -> Tensor<2> {
            assert_eq!(pair.name(), "pair");
            self.inner.forward(pair.first * pair.second.unwrap())
        }
    }
}
use modules::Sum;
// In scope, so that a qualified path to it is one too many.
use remat::{Checkpoint, Remat, TensorTree, checkpoint_with};

/// A tree with a lifetime.
#[derive(Clone, Debug, TensorTree)]
struct Pair<'a, T> {
    first: T,
    second: Option<T>,
    #[remat(skip)]
    name: &'a str,
}

impl<T> Pair<'_, T> {
    const fn name(&self) -> &str {
        self.name
    }
}

/// A tree with variants.
#[derive(Clone, Debug, TensorTree)]
enum Variants {
    /// A tuple.
    Tuple(Tensor<2>, usize),
    /// A struct.
    Struct {
        /// A tensor.
        tensor: Tensor<2>,
    },
    /// Nothing.
    Unit,
}

/// A block with annotations.
#[derive(Debug, Remat)]
struct Block {
    /// A layer.
    #[checkpoint]
    sum: Sum,
    /// Layers.
    #[checkpoint(deterministic)]
    layers: Vec<Counting>,
    /// A layer whose name starts with an underscore.
    #[checkpoint]
    maybe: Option<Counting>,
}

#[remat::forward]
impl Block {
    /// Runs the layers.
    #[must_use]
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let pair = Pair {
            first: x.clone(),
            second: Some(x),
            name: "pair",
        };
        let mut x = self.sum.forward(pair);
        for layer in &self.layers {
            x = layer.forward(x);
        }
        let x = self.layers.iter().fold(x, |x, layer| layer.forward(x));
        if let Some(layer) = &self.maybe {
            layer.forward(x)
        } else {
            x
        }
    }

    /// A parameter that nothing uses is reported if the user leaves it plain; one with an underscore is not.
    fn forward_unused(&self, x: Tensor<2>, _unused: usize) -> Tensor<2> {
        self.layers[0].forward(x)
    }
}

#[test]
fn block_and_trees() {
    let (sum, layers) = (Sum { inner: layer() }, vec![layer()]);
    let maybe = Some(layer());
    let modules = (sum.clone(), layers.clone(), maybe.clone());
    let (model, x) = (Block { sum, layers, maybe }, input());
    let twice = model
        .layers
        .iter()
        .chain(&model.maybe)
        .chain([&model.sum.inner]);
    let forward = |_: &_| {
        let y = model.forward_unused(model.forward(x.clone()), 1);
        let all = [
            Variants::Tuple(y.clone(), 1),
            Variants::Struct { tensor: y },
            Variants::Unit,
        ];
        let options = Checkpoint::named("by hand");
        loss(checkpoint_with(
            options,
            &model.layers[0],
            (all,),
            |layer, (all,)| {
                let [
                    Variants::Tuple(x, n),
                    Variants::Struct { tensor },
                    Variants::Unit,
                ] = all
                else {
                    unreachable!("as it was built");
                };
                layer.forward(x * f64::from(u32::try_from(n).unwrap_or(0)) + tensor)
            },
        ))
    };
    check(&modules, forward, twice, []);
}
