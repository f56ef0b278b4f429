//! An annotation that no call applies is reported by rustc, and only that.
//!
//! Here and not in `ui-tests`: trybuild allows dead code.

use crate::counting::{Counting, check, input, layer};
use crate::support::loss;
use burn::tensor::Tensor;

/// Does not compile if rustc has nothing to report in here; `applied` shows that it is the annotation.
#[deny(unfulfilled_lint_expectations)]
#[expect(dead_code)]
mod forgotten {
    use super::{Counting, Tensor};
    use burn::module::Module;
    use remat::Remat;

    #[derive(Module, Debug, Remat)]
    pub struct Block {
        #[checkpoint]
        pub up: Counting,
        #[checkpoint]
        pub down: Counting,
    }

    #[remat::forward]
    impl Block {
        pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.up.forward(x)
        }
    }

    // Not an annotated impl.
    impl Block {
        pub fn forward_down(&self, x: Tensor<2>) -> Tensor<2> {
            self.down.forward(x)
        }
    }
}

/// The same, but for one attribute.
#[deny(dead_code, unused)]
mod applied {
    use super::{Counting, Tensor};
    use burn::module::Module;
    use remat::Remat;

    #[derive(Module, Debug, Remat)]
    pub struct Block {
        #[checkpoint]
        pub up: Counting,
        #[checkpoint]
        pub down: Counting,
    }

    #[remat::forward]
    impl Block {
        pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.up.forward(x)
        }
    }

    #[remat::forward]
    impl Block {
        pub fn forward_down(&self, x: Tensor<2>) -> Tensor<2> {
            self.down.forward(x)
        }
    }
}

/// A layer that a struct's precision is for, and that no annotated impl calls.
#[cfg(not(cube))]
#[deny(unfulfilled_lint_expectations)]
#[expect(dead_code)]
mod default_forgotten {
    use super::Tensor;
    use burn::module::Module;
    use burn::nn::Linear;
    use remat::Remat;

    #[derive(Module, Debug, Remat)]
    #[autocast(bf16)]
    pub struct Block {
        pub up: Linear,
        pub down: Linear,
    }

    #[remat::forward]
    impl Block {
        pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.up.forward(x)
        }
    }

    impl Block {
        pub fn forward_down(&self, x: Tensor<2>) -> Tensor<2> {
            self.down.forward(x)
        }
    }
}

/// The same, applied.
#[cfg(not(cube))]
#[deny(dead_code, unused)]
mod default_applied {
    use super::Tensor;
    use burn::module::Module;
    use burn::nn::Linear;
    use remat::Remat;

    #[derive(Module, Debug, Remat)]
    #[autocast(bf16)]
    pub struct Block {
        pub up: Linear,
        pub down: Linear,
    }

    #[remat::forward]
    impl Block {
        pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.down.forward(self.up.forward(x))
        }
    }
}

/// Without any annotated impl, and without annotations at all.
#[deny(unfulfilled_lint_expectations)]
#[expect(dead_code)]
mod without_impl {
    use super::{Counting, Tensor};
    use burn::module::Module;
    use remat::Remat;

    #[derive(Module, Debug, Remat)]
    pub struct Block {
        #[checkpoint]
        pub up: Counting,
    }

    impl Block {
        pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.up.forward(x)
        }
    }
}

/// The other strategies.
mod others {
    pub mod gelu {
        #[deny(unfulfilled_lint_expectations)]
        #[expect(dead_code)]
        mod forgotten {
            #[derive(burn::module::Module, Debug, remat::Remat)]
            pub struct Block {
                #[recompute(cheap)]
                pub gelu: burn::nn::Gelu,
            }
        }
    }

    pub mod attention {
        #[deny(unfulfilled_lint_expectations)]
        #[expect(dead_code)]
        mod forgotten {
            #[derive(burn::module::Module, Debug, remat::Remat)]
            pub struct Block {
                #[recompute(attention)]
                pub attention: burn::nn::attention::MultiHeadAttention,
            }
        }
    }

    pub mod norm {
        #[deny(unfulfilled_lint_expectations)]
        #[expect(dead_code)]
        mod forgotten {
            #[derive(burn::module::Module, Debug, remat::Remat)]
            pub struct Block {
                #[frozen_stats]
                pub norm: burn::nn::BatchNorm,
            }
        }
    }
}

#[deny(dead_code, unused)]
mod without_annotations {
    use super::{Counting, Tensor};
    use burn::module::Module;
    use remat::Remat;

    #[derive(Module, Debug, Remat)]
    pub struct Block {
        pub up: Counting,
    }

    #[remat::forward]
    impl Block {
        pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
            self.up.forward(x)
        }
    }
}

#[test]
fn annotation_that_is_not_applied() {
    let (model, x) = (
        forgotten::Block {
            up: layer(),
            down: layer(),
        },
        input(),
    );
    check(
        &model,
        |model| loss(model.forward_down(model.forward(x.clone()))),
        [&model.up],
        [&model.down],
    );
    let model = without_impl::Block { up: layer() };
    check(
        &model,
        |model| loss(model.forward(x.clone())),
        [],
        [&model.up],
    );
}

#[test]
fn annotations_that_are_applied() {
    let (model, x) = (
        applied::Block {
            up: layer(),
            down: layer(),
        },
        input(),
    );
    check(
        &model,
        |model| loss(model.forward_down(model.forward(x.clone()))),
        [&model.up, &model.down],
        [],
    );
    let model = without_annotations::Block { up: layer() };
    check(
        &model,
        |model| loss(model.forward(x.clone())),
        [],
        [&model.up],
    );
}

/// The default of a struct, where it is applied to all that it is for, and where not.
#[cfg(not(cube))]
#[test]
fn defaults_of_structs() {
    use burn::nn::{Linear, LinearConfig};

    let linear = || -> Linear { LinearConfig::new(4, 4).init(&crate::support::device()) };
    let x = crate::support::numbers([2, 4], &crate::support::device());
    let (up, down) = (linear(), linear());
    let model = default_forgotten::Block {
        up: up.clone(),
        down: down.clone(),
    };
    let halfway = model.forward_down(model.forward(x.clone()));
    let applied = default_applied::Block { up, down };
    assert_ne!(halfway.to_data(), applied.forward(x).to_data());
}
